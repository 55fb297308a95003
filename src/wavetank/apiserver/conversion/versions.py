"""Conversion between the served versions of a kind and the one that is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from wavetank.apiserver.conversion.autoscaling import as_v1, as_v2
from wavetank.apiserver.conversion.events import as_core, as_new
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.cluster.releases import Version

Document = dict[str, Any]


class Conversion(NamedTuple):
    """How a served version is converted to and from the stored one."""

    stored_as: str
    to_stored: Callable[[Document], Document]
    to_served: Callable[[Document], Document]


def _alike(group: str) -> Conversion:
    """Returns the conversion of a v1beta1 with the fields of v1."""

    def renamed(version: str) -> Callable[[Document], Document]:
        return lambda document: {**document, "apiVersion": f"{group}/{version}"}

    return Conversion(f"{group}/v1", renamed("v1"), renamed("v1beta1"))


# By kind and by the group and version that is served; all others are stored as they are served.
_CONVERSIONS: Mapping[str, Mapping[tuple[str, str], Conversion]] = {
    "Event": {("events.k8s.io", "v1"): Conversion("v1", as_core, as_new)},
    "HorizontalPodAutoscaler": {("autoscaling", "v1"): Conversion("autoscaling/v2", as_v2, as_v1)},
    "PodDisruptionBudget": {("policy", "v1beta1"): _alike("policy")},
    "CSIStorageCapacity": {("storage.k8s.io", "v1beta1"): _alike("storage.k8s.io")},
}

# The last release whose programs read a kind in v1beta1; the fields are those of v1.
_IN_BETA = {
    ("policy/v1", "PodDisruptionBudget"): (1, 20),
    ("storage.k8s.io/v1", "CSIStorageCapacity"): (1, 23),
}


def serve_retired(kinds: KindTable, version: Version) -> None:
    """Serves the versions that programs of an earlier release need and that the served release has no more."""
    for name, last in _IN_BETA.items():
        kind = kinds.named(*name)
        if version <= last and kind is not None:
            kinds.add(replace(kind, version="v1beta1"))


def _conversion(kind: Kind) -> Conversion | None:
    versions = _CONVERSIONS.get(kind.kind)
    return versions.get((kind.group, kind.version)) if versions is not None else None


def stored_kind(kinds: KindTable, kind: Kind) -> Kind:
    """Returns the storage version of a kind."""
    conversion = _conversion(kind)
    found = kinds.named(conversion.stored_as, kind.kind) if conversion is not None else None
    return found or kind


def to_stored(kind: Kind, document: Document) -> Document:
    """Converts a document of a served version into the stored one; custom resources are converted when stored."""
    conversion = _conversion(kind)
    return document if conversion is None else conversion.to_stored(document)


def to_served(kind: Kind, document: Document) -> Document:
    """Converts a stored document into a served version."""
    if kind.custom is not None:
        return kind.custom.serve(document)
    conversion = _conversion(kind)
    return document if conversion is None else conversion.to_served(document)


def convert(kind: Kind, document: Document, wanted: Kind) -> Document:
    """Converts a document of one served version into another one of the same kind."""
    stored = document if kind.custom is None else kind.custom.store(document)
    return to_served(wanted, to_stored(kind, stored))
