"""Affinity between pods, compiled from a pod's spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.fields.selectors import NOTHING, LabelSelector
from wavetank.errors import InputError


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """Pods that are meant, and the topology in which to be near to or far from them.

    `namespaces` is None where the term means the namespace of the pod that has it.
    """

    topology_key: str
    selector: LabelSelector
    namespaces: frozenset[str] | None
    namespace_selector: LabelSelector

    def in_namespace(self, namespace: str) -> AffinityTerm:
        """Returns the term as a pod of this namespace means it."""
        if self.namespaces is not None:
            return self
        return AffinityTerm(self.topology_key, self.selector, frozenset({namespace}), self.namespace_selector)

    def matches(self, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]) -> bool:
        """Returns whether a pod with these labels, in a namespace with those, is meant."""
        assert self.namespaces is not None
        if namespace not in self.namespaces and not self.namespace_selector.matches(namespace_labels):
            return False
        return self.selector.matches(labels)


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A preference; `weight` is negative for one against."""

    term: AffinityTerm
    weight: int


@dataclass(frozen=True, slots=True)
class PodAffinity:
    """All terms of a pod: what InterPodAffinity reads. Equal facets are equal values."""

    required: tuple[AffinityTerm, ...] = ()
    required_anti: tuple[AffinityTerm, ...] = ()
    preferred: tuple[WeightedTerm, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.required or self.required_anti or self.preferred)


NO_AFFINITY = PodAffinity()

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def parse_pod_affinity(affinity: Mapping[str, Any]) -> PodAffinity:
    """Reads podAffinity and podAntiAffinity of a spec's affinity."""
    near, far = affinity.get("podAffinity") or {}, affinity.get("podAntiAffinity") or {}
    if not near and not far:
        return NO_AFFINITY
    return PodAffinity(
        required=_terms(near.get(_REQUIRED), "spec.affinity.podAffinity.required"),
        required_anti=_terms(far.get(_REQUIRED), "spec.affinity.podAntiAffinity.required"),
        preferred=(
            *_weighted(near.get(_PREFERRED), 1, "spec.affinity.podAffinity.preferred"),
            *_weighted(far.get(_PREFERRED), -1, "spec.affinity.podAntiAffinity.preferred"),
        ),
    )


def _terms(raw: Sequence[Mapping[str, Any]] | None, path: str) -> tuple[AffinityTerm, ...]:
    return tuple(_term(item, f"{path}[{i}]") for i, item in enumerate(raw or ()))


def _weighted(raw: Sequence[Mapping[str, Any]] | None, sign: int, path: str) -> list[WeightedTerm]:
    return [
        WeightedTerm(_term(item["podAffinityTerm"], f"{path}[{i}].podAffinityTerm"), sign * int(item["weight"]))
        for i, item in enumerate(raw or ())
    ]


def _term(raw: Mapping[str, Any], path: str) -> AffinityTerm:
    key = raw.get("topologyKey")
    if not isinstance(key, str) or not key:
        raise InputError("a term needs its topologyKey", path=path)
    selector, namespaces = raw.get("namespaceSelector"), raw.get("namespaces") or ()
    own = selector is None and not namespaces
    return AffinityTerm(
        topology_key=key,
        selector=LabelSelector.parse(raw.get("labelSelector"), path=f"{path}.labelSelector"),
        namespaces=None if own else frozenset(map(str, namespaces)),
        namespace_selector=NOTHING
        if selector is None
        else LabelSelector.parse(selector, path=f"{path}.namespaceSelector"),
    )
