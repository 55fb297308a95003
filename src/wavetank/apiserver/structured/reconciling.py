"""Sets of fields that were written when a type was merged otherwise, made fit for what it is now."""

from __future__ import annotations

from wavetank.apiserver.structured.fieldsets import LEAF, SELF, FieldSet, children, is_member, node
from wavetank.apiserver.structured.types import DEDUCED_VALUE, ListType, MapType, MergeType


def reconcile(kind: MergeType, fields: FieldSet) -> FieldSet:
    """Returns a set in which what is one value now is one field; a set that fits is returned as it is."""
    made: FieldSet = {}
    changed = False
    for element, below in fields.items():
        inner = _type_at(kind, element)
        fit = below if inner is None or element == SELF else _reconcile(inner, below)
        changed = changed or fit is not below
        made[element] = fit
    return made if changed else fields


def _reconcile(kind: MergeType, below: FieldSet) -> FieldSet:
    if not below:
        return below
    shape: MapType | ListType | None = kind.map or (None if kind.scalar else kind.list)
    if shape is None or (isinstance(shape, MapType) and shape.element is DEDUCED_VALUE and not shape.fields):
        return below
    if shape.atomic:
        return LEAF
    inner = children(below)
    fit = reconcile(kind, inner)
    return below if fit is inner else node(is_member(below), fit) or LEAF


def _type_at(kind: MergeType, element: str) -> MergeType | None:
    if kind.map is not None:
        return kind.map.fields.get(element[2:], kind.map.element) if element[0] == "f" else kind.map.element
    return kind.list.items if kind.list is not None and not kind.scalar else None
