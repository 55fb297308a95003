"""Values that a schema gives to missing fields."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.codec.copying import copied
from wavetank.apiserver.custom.schema.structural import Structural


def set_schema_defaults(value: Any, schema: Structural | None) -> None:
    """Fills in, in place, what is missing or is null where it may not be."""
    if schema is None:
        return
    if isinstance(value, dict):
        for name, inner in schema.properties.items():
            if inner.default is not None and (name not in value or _is_wrong_null(value[name], inner)):
                value[name] = copied(inner.default)
        for name in value:
            inner_of = schema.below(name)
            if name not in schema.properties and inner_of is not None and _is_wrong_null(value[name], inner_of):
                value[name] = copied(inner_of.default)
            set_schema_defaults(value[name], inner_of)
    elif isinstance(value, list) and schema.items is not None:
        for i, each in enumerate(value):
            if _is_wrong_null(each, schema.items):
                value[i] = copied(schema.items.default)
            set_schema_defaults(value[i], schema.items)


def _is_wrong_null(value: Any, schema: Structural) -> bool:
    return value is None and not schema.nullable
