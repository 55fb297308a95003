"""Server-side apply, so far without ownership: what is applied is merged in, and nothing is ever taken away by it."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.codec import canonical, decode
from wavetank.apiserver.codec.yamltext import parse_yaml
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.kinds import Kind, KindTable, Schema, Subresource

APPLY = "application/apply-patch+yaml"

Document = dict[str, Any]


def read_applied(kinds: KindTable, kind: Kind | Subresource, body: bytes) -> Document:
    """Returns what a body says, and nothing that it does not say."""
    decoded = decode(kinds, kind, body, "application/yaml", "Ignore")
    raw = parse_yaml(body)[0] or {}
    if (raw.get("apiVersion"), raw.get("kind")) != (kind.api_version, kind.kind):
        group, _, version = str(raw.get("apiVersion") or "").rpartition("/")
        raise bad_request(f"invalid object type: {group}/{version}, Kind={raw.get('kind') or ''}")
    document: Document = _stated(decoded.document, raw)
    document["metadata"] = dict(document.get("metadata") or {})
    document["metadata"].pop("managedFields", None)
    return document


def merge_applied(schema: Schema, current: Document, applied: Document) -> Document:
    """Returns an object with what is applied merged in: lists by their keys, as far as they have some."""
    return canonical(schema, _merge(schema, current, applied))


def _stated(document: Any, raw: Any) -> Any:
    """Returns a decoded document without the fields that its text does not have, which decoding has filled in."""
    if isinstance(document, dict) and isinstance(raw, dict):
        return {name: _stated(value, raw[name]) for name, value in document.items() if name in raw}
    if isinstance(document, list) and isinstance(raw, list):
        return [_stated(*pair) for pair in zip(document, raw, strict=True)]
    return document


def _merge(schema: Schema, current: Any, applied: Any) -> Any:
    if isinstance(applied, dict) and isinstance(current, dict) and schema.map_type != "atomic":
        return _merge_fields(schema, current, applied)
    if isinstance(applied, list) and isinstance(current, list) and schema.list_type == "map":
        return _merge_items(schema, current, applied)
    if isinstance(applied, list) and isinstance(current, list) and schema.list_type == "set":
        return current + [item for item in applied if item not in current]
    return applied


def _merge_fields(schema: Schema, current: Document, applied: Document) -> Document:
    merged = dict(current)
    for name, value in applied.items():
        inner = schema.fields.get(name) or schema.items
        merged[name] = _merge(inner, merged[name], value) if inner is not None and name in merged else value
    return merged


def _merge_items(schema: Schema, current: list[Any], applied: list[Any]) -> list[Any]:
    merged, places = list(current), {_key(schema, item): i for i, item in enumerate(current)}
    for item in applied:
        place_of = places.get(_key(schema, item))
        if place_of is None:
            merged.append(item)
        elif schema.items is not None:
            merged[place_of] = _merge(schema.items, merged[place_of], item)
    return merged


def _key(schema: Schema, item: Any) -> tuple[Any, ...]:
    return tuple(item.get(name) for name in schema.list_map_keys)
