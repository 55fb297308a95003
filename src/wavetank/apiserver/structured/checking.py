"""Whether a value is of its type, and what the real server says if it is not."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.structured import elements
from wavetank.apiserver.structured.types import (
    BOOLEAN,
    NUMERIC,
    STRING,
    ListType,
    MapType,
    MergeType,
    UntypedError,
)
from wavetank.cel.gotext import quote

_GO_TYPES = {str: "string", bool: "bool", int: "int64", float: "float64"}
_MAP, _LIST = "map[string]interface {}", "[]interface {}"


def check(kind: MergeType, value: Any, *, duplicates: bool = False) -> None:
    """Raises an UntypedError if a value is not of its type; `duplicates` allows equal keys in keyed lists."""
    errors = _Checker(duplicates).errors(kind, value)
    if not errors:
        return
    texts = [f"{path}: {why}" if path else why for path, why in errors]
    raise UntypedError(texts[0] if len(texts) == 1 else "\n".join(["errors:", *(f"  {text}" for text in texts)]))


class _Checker:
    """Collects mistakes with the paths of the fields that have them."""

    def __init__(self, duplicates: bool) -> None:
        self._duplicates = duplicates

    def errors(self, kind: MergeType, value: Any) -> list[tuple[str, str]]:
        form = kind.form(value)
        if value is None:
            return []
        if form == "map":
            assert kind.map is not None
            if type(value) is not dict:
                return [("", f"expected map, got &{{{_plain(value)}}}")]
            return self._fields(kind.map, value)
        if form == "list":
            assert kind.list is not None
            if type(value) is not list:
                return [("", f"expected list, got &{{{_plain(value)}}}")]
            return self._items(kind.list, value)
        mistake = _scalar_mistake(kind.scalar, value)
        return [("", mistake)] if mistake else []

    def _fields(self, kind: MapType, value: dict[str, Any]) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for name, each in value.items():
            inner = kind.fields.get(name) or kind.element
            if inner is None:
                found.append((f".{name}", "field not declared in schema"))
                break  # the real one looks at no other field then
            found += ((f".{name}{path}", why) for path, why in self.errors(inner, each))
        return found

    def _items(self, kind: ListType, value: list[Any]) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        seen: set[str] = set()
        for index, each in enumerate(value):
            place = f"[{index}]"
            if not kind.atomic:
                try:
                    element = kind.element(each)
                except UntypedError as error:
                    return [*found, ("", f"element {index}: {error}")]
                place = elements.shown(element)
                if element in seen and not self._duplicates:
                    found.append(("", f"duplicate entries for key {place}"))
                seen.add(element)
            found += ((f"{place}{path}", why) for path, why in self.errors(kind.items, each))
        return found


def _scalar_mistake(scalar: str, value: Any) -> str:
    if scalar == STRING and type(value) is not str:
        return f"expected string, got &value.valueUnstructured{{Value:{_syntax(value)}}}"
    if scalar == NUMERIC and type(value) not in (int, float):
        return f"expected numeric (int or float), got {_go_type(value)}"
    if scalar == BOOLEAN and type(value) is not bool:
        return f"expected boolean, got &{{{_plain(value)}}}"
    if isinstance(value, dict | list):
        return f"expected any scalar, got &{{{_plain(value)}}}"
    return ""


def _go_type(value: Any) -> str:
    if isinstance(value, dict | list):
        return _MAP if isinstance(value, dict) else _LIST
    return _GO_TYPES[type(value)]


def _syntax(value: Any) -> str:
    """Writes a JSON value as Go's %#v does."""
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, dict):
        return f"{_MAP}{{{', '.join(f'{quote(name)}:{_syntax(each)}' for name, each in sorted(value.items()))}}}"
    if isinstance(value, list):
        return f"{_LIST}{{{', '.join(map(_syntax, value))}}}"
    return quote(value) if isinstance(value, str) else _plain(value)


def _plain(value: Any) -> str:
    """Writes a JSON value as Go's %v does."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{_plain(each)}' for name, each in sorted(value.items()))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_plain, value))}]"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
