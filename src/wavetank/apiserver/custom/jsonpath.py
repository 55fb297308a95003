"""The JSON paths of kubectl and of printer columns, as far as they point at values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from wavetank.textcache import cached_text

Step = Callable[[Any], Iterator[Any]]


class JsonPathError(ValueError):
    """A path that cannot be read, or that does not fit a document."""


def find(path: str, document: Any) -> list[Any]:
    """Returns the values that a path such as .spec.ports[0].name points at; missing fields give none."""
    values = [document]
    for step in _steps(path):
        values = [found for value in values for found in step(value)]
    return values


_TOKEN = re.compile(
    r"""(?P<deep>\.\.)
      | \.(?P<all>\*)
      | \.?\['(?P<single>(?:[^'\\]|\\.)*)'\] | \.?\["(?P<double>(?:[^"\\]|\\.)*)"\]
      | \.?\[(?P<index>-?[0-9]+)\]
      | \.?\[(?P<slice>-?[0-9]*:-?[0-9]*(?::-?[0-9]*)?)\]
      | \.?(?P<every>\[\*\])
      | \.?\[\?\((?P<filter>.*?)\)\]
      | \.?(?P<name>(?:[^.\[\]\\'"{}\s]|\\.)+)
      | (?P<end>\.)$""",
    re.VERBOSE,
)
_FILTER = re.compile(r"\s*@(?P<left>[^=!<>]*?)\s*(?:(?P<operator>==|!=|<=|>=|<|>)\s*(?P<right>.+?))?\s*")


@cached_text(512, long=1_000_000)  # a table asks for each of its columns in every row
def _steps(path: str) -> tuple[Step, ...]:
    at, found = 0, []
    while at < len(path):
        token = _TOKEN.match(path, at)
        if token is None:
            raise JsonPathError(f"unrecognized character in {path!r} at {at}")
        found.append(_step(token))
        at = token.end()
    return tuple(found)


def _step(token: re.Match[str]) -> Step:
    kind, text = token.lastgroup, token.group(token.lastgroup or 0)
    if kind == "deep":
        return _below
    if kind in ("all", "every"):
        return _each
    if kind == "index":
        return _at(int(text))
    if kind == "slice":
        return _between(text)
    if kind == "filter":
        return _where(text)
    if kind == "end":
        return lambda value: iter((value,))
    return _field(re.sub(r"\\(.)", r"\1", text))


def _field(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _each(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from (value[name] for name in sorted(value))
    elif isinstance(value, list):
        yield from value


def _below(value: Any) -> Iterator[Any]:
    """Yields a value and all that is in it."""
    yield value
    for each in _each(value):
        yield from _below(each)


def _at(index: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if not isinstance(value, list):
            raise JsonPathError("a value that is no list has no items")
        if not -len(value) <= index < len(value):
            raise JsonPathError(f"array index out of bounds: index {index}, length {len(value)}")
        yield value[index]

    return step


def _between(text: str) -> Step:
    bounds = slice(*(int(part) if part else None for part in text.split(":")))

    def step(value: Any) -> Iterator[Any]:
        if not isinstance(value, list):
            raise JsonPathError("a value that is no list has no items")
        yield from value[bounds]

    return step


def _where(text: str) -> Step:
    read = _FILTER.fullmatch(text)
    if read is None:
        raise JsonPathError(f"unrecognized filter {text!r}")
    path, operator = read.group("left"), read.group("operator")
    wanted = _literal(read.group("right")) if operator else None

    def step(value: Any) -> Iterator[Any]:
        for item in _each(value):
            found = find(path, item)
            if found and (operator is None or _holds(found[0], operator, wanted)):
                yield item

    return step


def _literal(text: str) -> Any:
    if text[:1] in "'\"" and text[-1:] == text[:1] and len(text) > 1:
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise JsonPathError(f"unrecognized value {text!r}") from None


def _holds(found: Any, operator: str, wanted: Any) -> bool:
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (found, wanted))
    if not numbers and type(found) is not type(wanted):
        return False
    if operator in ("==", "!="):
        return bool(found == wanted) == (operator == "==")
    if isinstance(found, bool):
        return False
    below, same = bool(found < wanted), bool(found == wanted)
    return {"<": below, "<=": below or same, ">": not below and not same, ">=": not below}[operator]
