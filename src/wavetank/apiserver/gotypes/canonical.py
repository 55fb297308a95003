"""Documents in the form in which the real server stores and prints them: Go's order of fields, Go's idea of empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.apiserver.gotypes.table import Field, GoType, fields_of

_ZEROS: Mapping[str, Any] = {"s": "", "i": 0, "b": False, "f": 0, "q": "0", "x": 0}
_ABSENT = object()


def prune(struct: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a document without nulls and without empty values that Go cannot tell from missing ones.

    Behind a pointer (a storageClassName, a securityContext) an empty value is a value, and is kept.
    """
    pruned = {}
    for field in fields_of(struct):
        raw = document.get(field.name)
        if raw is not None:
            value = _pruned(field.type, raw)
            if value is not _ABSENT:
                pruned[field.name] = value
    return pruned if fields_of(struct) else dict(document)


def complete(struct: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a document with the empty values that Go always prints, such as `status: {}`, and without the others."""
    completed = {}
    for field in fields_of(struct):
        raw = document.get(field.name)
        value = _completed(field.type, raw) if raw is not None else _ABSENT
        if value is _ABSENT:
            value = _empty(field)
        if value is not _ABSENT:
            completed[field.name] = value
    return completed if fields_of(struct) else dict(document)


def _pruned(go: GoType, raw: Any) -> Any:
    if go.code == "*":
        assert go.item is not None
        value = _pruned(go.item, raw)
        return _behind_pointer(go.item, raw) if value is _ABSENT else value
    if go.code == "struct":
        return prune(go.struct, raw) or _ABSENT
    if go.code in ("[]", "{}"):
        return _each(go, raw, prune)
    return raw if raw or go.code in "axq" else _ABSENT


def _completed(go: GoType, raw: Any) -> Any:
    if go.code == "*":
        assert go.item is not None
        value = _completed(go.item, raw)
        return _behind_pointer(go.item, raw) if value is _ABSENT else value
    if go.code == "struct":
        return complete(go.struct, raw)
    if go.code in ("[]", "{}"):
        return _each(go, raw, complete)
    return raw if raw or go.code in "axq" else _ABSENT


def _each(go: GoType, raw: Any, shape: Any) -> Any:
    """Shapes every item; an empty list or map is not told from a missing one."""
    if not raw:
        return _ABSENT
    item = go.item
    assert item is not None
    if item.code == "struct":
        if go.code == "[]":
            return [shape(item.struct, one or {}) for one in raw]
        return {key: shape(item.struct, one or {}) for key, one in raw.items()}
    return raw


def _behind_pointer(go: GoType, raw: Any) -> Any:
    return {} if go.code == "struct" else raw


def _empty(field: Field) -> Any:
    """Returns what is printed for a field without a value."""
    if field.type.code == "struct" and field.omit < 2:
        return complete(field.type.struct, {})
    if field.type.code in "tu" and field.omit < 2:
        return None
    return _ZEROS.get(field.type.code) if field.omit == 0 else _ABSENT
