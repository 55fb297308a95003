"""Rows of custom kinds, whose columns a CustomResourceDefinition names by JSON paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.codec.times import canonical_time
from wavetank.apiserver.custom.jsonpath import JsonPathError, find
from wavetank.apiserver.tables.cells import Cells, Document, name_of, since
from wavetank.apiserver.tables.columns import Column
from wavetank.cel.gotext import go_number
from wavetank.cluster.sortedjson import encode_sorted

if TYPE_CHECKING:
    from wavetank.apiserver.custom.customtype import CustomType

_NOTHING = object()


def custom_columns(custom: CustomType) -> list[Column]:
    """Returns the columns of a kind behind that of the name."""
    return [
        {
            "name": each["name"],
            "type": each["type"],
            "format": each.get("format", ""),
            "description": each.get("description")
            or f"Custom resource definition column (in JSONPath format): {each['jsonPath']}",
            "priority": each.get("priority", 0),
        }
        for each in custom.columns
    ]


def custom_cells(custom: CustomType, document: dict[str, Any], now: float) -> Cells:
    """Returns the cells of an object; what a path does not find, or what is of another type, is null."""
    return [name_of(document), *(_cell(each, document, now) for each in custom.columns)]


def _cell(column: Document, document: dict[str, Any], now: float) -> Any:
    try:
        found = find(column["jsonPath"], document)
    except JsonPathError:
        return None
    value = found[0] if found else _NOTHING
    if value is _NOTHING:
        return None
    if column["type"] == "string":
        return _text(value)
    return _typed(column["type"], value, now)


def _text(value: Any) -> str:
    if value is None:
        return "<no value>"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return go_number(value)
    if isinstance(value, (dict, list)):
        return encode_sorted(value).decode()
    return str(value)


def _typed(kind: str, value: Any, now: float) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer" and is_number:
        return int(value)
    if kind == "number" and is_number:
        return value
    if kind == "boolean" and isinstance(value, bool):
        return value
    if kind == "date" and isinstance(value, str):
        return _age(value, now)
    return None


def _age(text: str, now: float) -> str:
    if not text:
        return "<unknown>"
    try:
        return since(canonical_time(text), now)
    except UnreadableError:
        return "<invalid>"
