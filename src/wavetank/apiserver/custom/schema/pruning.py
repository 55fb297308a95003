"""Fields that a schema does not know are dropped, and so are nulls that it does not allow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wavetank.apiserver.custom.schema.structural import META_FIELDS, Document, Structural


def prune(document: Any, schema: Structural | None, *, root: bool = True) -> list[str]:
    """Drops what the schema does not know, in place; returns the paths of what was dropped, sorted.

    `root` says that the document is a whole resource, whose apiVersion, kind and metadata are known anyway.
    """
    if root and (schema is None or not schema.embedded):
        schema = replace(schema or Structural({}), embedded=True)
    unknown: list[str] = []
    _prune(document, schema, "", unknown)
    return sorted(unknown)


def _prune(value: Any, schema: Structural | None, path: str, unknown: list[str]) -> None:
    if schema is not None and schema.preserves:
        _prune_known(value, schema, path, unknown)
    elif isinstance(value, dict):
        _prune_object(value, schema, path, unknown)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            _prune(each, schema.items if schema is not None else None, f"{path}[{i}]", unknown)


def _prune_object(value: Document, schema: Structural | None, path: str, unknown: list[str]) -> None:
    for name in list(value):
        if schema is not None and schema.embedded and name in META_FIELDS:
            continue
        if schema is not None and (name in schema.properties or schema.is_map):
            _prune(value[name], schema.below(name), _join(path, name), unknown)
            continue
        if schema is None or path or name not in META_FIELDS:
            unknown.append(_join(path, name))
        del value[name]


def _prune_known(value: Any, schema: Structural | None, path: str, unknown: list[str]) -> None:
    """Goes on with what the schema describes, and keeps the rest."""
    if schema is None:
        return
    if isinstance(value, dict):
        for name, each in value.items():
            if schema.embedded and name in META_FIELDS:
                continue
            if name in schema.properties or schema.is_map:
                _prune(each, schema.below(name), _join(path, name), unknown)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            _prune_known(each, schema.items, f"{path}[{i}]", unknown)


def drop_nulls(value: Any, schema: Structural | None) -> None:
    """Drops, in place, the nulls of fields that may not be null and have no default."""
    if isinstance(value, dict):
        for name in list(value):
            inner = schema.below(name) if schema is not None else None
            if value[name] is None and inner is not None and not inner.nullable and inner.default is None:
                del value[name]
            else:
                drop_nulls(value[name], inner)
    elif isinstance(value, list):
        for each in value:
            drop_nulls(each, schema.items if schema is not None else None)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
