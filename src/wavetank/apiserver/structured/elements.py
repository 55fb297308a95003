"""Path elements: how a field, an item of a keyed list or a member of a set is called in a set of fields.

An element is the text that FieldsV1 has for it: `f:spec`, `k:{"name":"web"}`, `v:"example.com/keep"`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from wavetank.cel.gotext import quote
from wavetank.textcache import LONGEST, length_of

_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def field(name: str) -> str:
    """Returns the element of a field or of a key of a map."""
    return f"f:{name}"


def member(value: Any) -> str:
    """Returns the element of a member of a set."""
    return f"v:{_text(value)}"


def item(names: tuple[str, ...], values: tuple[Any, ...]) -> str:
    """Returns the element of an item of a keyed list; `names` are in alphabetical order."""
    try:
        return _item(names, *values)
    except TypeError:  # a key that is a list or a map, or that is long
        return _written(names, values)


@lru_cache(maxsize=4096, typed=True)
def _item(names: tuple[str, ...], *values: Any) -> str:
    if length_of((names, values)) > LONGEST:
        raise TypeError("not kept")
    return _written(names, values)


def _written(names: tuple[str, ...], values: tuple[Any, ...]) -> str:
    pairs = (f"{_text(name)}:{_text(value)}" for name, value in zip(names, values, strict=True))
    return f"k:{{{','.join(pairs)}}}"


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode().translate(_ESCAPED)


def parse(text: str) -> str | None:
    """Returns an element in its one form, None for one of an unknown sort; a ValueError if it is none."""
    if len(text) < 2 or text[1] != ":":
        raise ValueError(f"missing colon: {text}")
    sort, content = text[0], text[2:]
    if sort == "f":
        return text
    if sort == "v":
        return member(_read(content))
    if sort == "k":
        keys = _read(content)
        if not isinstance(keys, dict):
            raise ValueError("a key must be an object")
        names = tuple(sorted(keys))
        return item(names, tuple(keys[name] for name in names))
    return f"i:{int(content)}" if sort == "i" else None


def _read(content: str) -> Any:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def shown(element: str) -> str:
    """Returns an element as messages show it: `.spec`, `[name="web"]`, `[="example.com/keep"]`."""
    sort, content = element[0], element[2:]
    if sort == "f":
        return f".{content}"
    if sort == "i":
        return f"[{content}]"
    value = msgspec.json.decode(content)
    if sort == "v":
        return f"[={_shown_value(value)}]"
    return f"[{','.join(f'{name}={_shown_value(each)}' for name, each in value.items())}]"


def _shown_value(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"[{','.join(map(_shown_value, value))}]"
    if isinstance(value, dict):
        return "".join(f"{name}={_shown_value(each)}" for name, each in sorted(value.items()))
    return msgspec.json.encode(value).decode().removesuffix(".0")


def rank(element: str) -> tuple[Any, ...]:
    """Returns a key by which elements are sorted as the real server sorts them: fields, items, members."""
    sort, content = element[0], element[2:]
    if sort == "f":
        return 0, content
    value = msgspec.json.decode(content)
    if sort == "k":
        return 1, [(name, _rank_value(each)) for name, each in value.items()]
    return (2, _rank_value(value)) if sort == "v" else (3, value)


def _rank_value(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return 2, value
    if isinstance(value, int | float):
        return 0, value
    return (1, value) if isinstance(value, str) else (3, _shown_value(value))
