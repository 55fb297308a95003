"""Kinds that are served in several versions are stored in one; here documents go from one to the other."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.conversion.autoscaling import as_v1, as_v2
from wavetank.apiserver.conversion.events import as_core, as_new
from wavetank.apiserver.kinds import Kind, KindTable

Document = dict[str, Any]

_STORED_AS = {
    ("events.k8s.io/v1", "Event"): "v1",
    ("autoscaling/v1", "HorizontalPodAutoscaler"): "autoscaling/v2",
}


def stored_kind(kinds: KindTable, kind: Kind) -> Kind:
    """Returns the version of a kind that the store holds."""
    api_version = _STORED_AS.get((kind.api_version, kind.kind))
    found = kinds.named(api_version, kind.kind) if api_version else None
    return found or kind


def to_stored(kind: Kind, document: Document) -> Document:
    """Converts a document of a served version into the stored one; custom kinds are when they are written."""
    if kind.kind == "Event" and kind.group:
        return as_core(document)
    if kind.kind == "HorizontalPodAutoscaler" and kind.version == "v1":
        return as_v2(document)
    return document


def to_served(kind: Kind, document: Document) -> Document:
    """Converts a stored document into a served version."""
    if kind.custom is not None:
        return kind.custom.serve(document)
    if kind.kind == "Event" and kind.group:
        return as_new(document)
    if kind.kind == "HorizontalPodAutoscaler" and kind.version == "v1":
        return as_v1(document)
    return document
