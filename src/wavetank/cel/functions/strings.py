"""Functions of texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cel.functions.times import show_duration, show_timestamp
from wavetank.cel.gotext import go_number, quote
from wavetank.cel.patterns import Pattern, PatternError, go_pattern
from wavetank.cel.values import Duration, EvaluationError, Timestamp, Uint

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LARGEST_PRECISION = 1000
_LONGEST_PRECISION = 10  # digits
_DIRECTIVE = re.compile(r"%(?:%|(?:\.(\d+))?([a-zA-Z]))")


def text_of(value: Any) -> str:
    """Writes a value as a text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Uint):
        return str(int(value))
    if isinstance(value, float):
        return go_number(value)
    if isinstance(value, Timestamp):
        return show_timestamp(value)
    if isinstance(value, Duration):
        return show_duration(value)
    return str(value)


def _pattern(text: str) -> Pattern:
    try:
        return go_pattern(text)
    except PatternError as error:
        raise EvaluationError(str(error)) from None


def _matches(text: str, pattern: str) -> bool:
    return _pattern(pattern).search(text) is not None


def _find(text: str, pattern: str) -> str:
    found = _pattern(pattern).search(text)
    return found.group() if found else ""


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    found = [match.group() for match in _pattern(pattern).finditer(text)]
    return found if most < 0 else found[:most]


def _char_at(text: str, place: int) -> str:
    if not 0 <= place <= len(text):
        raise EvaluationError(f"index out of range: {place}")
    return text[place : place + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    if not 0 <= start <= len(text):
        raise EvaluationError(f"index out of range: {start}")
    return text.find(part, start)


def _last_index_of(text: str, part: str, start: int | None = None) -> int:
    if start is not None and not 0 <= start < max(len(text), 1):
        raise EvaluationError(f"index out of range: {start}")
    return text.rfind(part) if start is None else text.rfind(part, 0, start + len(part))


def _join(items: list[str], separator: str = "") -> str:
    return separator.join(items)


def _replace(text: str, old: str, new: str, most: int = -1) -> str:
    return text.replace(old, new, most if most >= 0 else -1)


def _split(text: str, separator: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    if not separator:
        characters = list(text)
        return characters if most < 0 or most >= len(text) else [*characters[: most - 1], text[most - 1 :]]
    return text.split(separator, most - 1 if most > 0 else -1)


def _substring(text: str, start: int, end: int | None = None) -> str:
    last = len(text) if end is None else end
    if not 0 <= start <= len(text):
        raise EvaluationError(f"index out of range: {start}")
    if not 0 <= last <= len(text):
        raise EvaluationError(f"index out of range: {last}")
    if start > last:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {last}")
    return text[start:last]


def _format(text: str, args: list[Any]) -> str:
    rest = iter(args)

    def fill(match: re.Match[str]) -> str:
        if match.group() == "%%":
            return "%"
        try:
            return _directive(match.group(2), match.group(1), next(rest))
        except StopIteration:
            raise EvaluationError(f"index {len(args)} out of range") from None

    return _DIRECTIVE.sub(fill, text)


def _directive(kind: str, precision: str | None, value: Any) -> str:
    if kind == "s":
        return _shown(value)
    if kind == "d":
        return str(int(value))
    if kind in "fe":
        return f"{value:.{_precision(precision)}{kind}}"
    if kind == "b":
        return f"{int(value):b}"
    if kind == "o":
        return f"{int(value):o}"
    if kind in "xX" and isinstance(value, int):
        return f"{value:{kind}}"
    if kind in "xX":
        shown = (value.encode() if isinstance(value, str) else value).hex()
        return str(shown.upper() if kind == "X" else shown)
    raise EvaluationError(f'could not parse formatting clause: unrecognized formatting clause "{kind}"')


def _precision(digits: str | None) -> int:
    if digits and (len(digits) > _LONGEST_PRECISION or int(digits) > _LARGEST_PRECISION):
        raise EvaluationError(f"precision {digits:.20} exceeds the maximum of {_LARGEST_PRECISION}")
    return int(digits) if digits else 6


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_shown(each) for each in value)}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_shown(key)}:{_shown(value[key])}' for key in sorted(value))}}}"
    return "null" if value is None else text_of(value)


STRING_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "endsWith": lambda text, part: text.endswith(part),
    "startsWith": lambda text, part: text.startswith(part),
    "matches": _matches,
    "find": _find,
    "findAll": _find_all,
    "charAt": _char_at,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "join": _join,
    "lowerAscii": lambda text: text.translate(_LOWER),
    "upperAscii": lambda text: text.translate(_UPPER),
    "replace": _replace,
    "split": _split,
    "substring": _substring,
    "trim": lambda text: text.strip(),
    "strings.quote": quote,
    "format": _format,
}
