"""Merged documents read as Go reads values that are already in memory, which is not quite how it reads JSON."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.codec import canonical
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.schemas.schema import Schema

_BITS = {"int32": 32, "int64": 64}
_LARGEST = 2**63


def convert(schema: Schema, document: dict[str, Any]) -> dict[str, Any]:
    """Returns a document in its canonical form; an UnreadableError has the words of this kind of reading."""
    try:
        return canonical(schema, document)
    except UnreadableError:
        pass
    try:
        return canonical(schema, _fitted(schema, document))
    except UnreadableError as error:
        of_bytes = str(error).startswith("illegal base64")
        raise UnreadableError(f"error decoding from json: {error}" if of_bytes else str(error)) from None


def _fitted(schema: Schema, value: Any) -> Any:
    """Returns a value whose whole numbers fit their types: what is too large loses its high bits."""
    if schema.type == "integer" and isinstance(value, int | float):
        return _integer(schema, value)
    if schema.type == "object" and isinstance(value, dict):
        fields = schema.fields
        return {name: _fitted(fields[name], each) if name in fields else each for name, each in value.items()}
    if schema.items is not None and isinstance(value, dict):
        return {name: _fitted(schema.items, each) for name, each in value.items()}
    if schema.items is not None and isinstance(value, list):
        return [_fitted(schema.items, each) for each in value]
    return value


def _integer(schema: Schema, value: float) -> int:
    if isinstance(value, float) and value != int(value):
        raise UnreadableError(f"cannot convert float64 to {schema.format}")
    number = int(value) if -_LARGEST <= value < _LARGEST else -_LARGEST
    half = 1 << (_BITS[schema.format] - 1)
    return (number + half) % (2 * half) - half
