"""Affinity between pods, compiled from a pod's spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from wavetank.cluster.fields.selectors import NOTHING, LabelSelector
from wavetank.errors import InputError


@lru_cache
def _only(namespace: str) -> frozenset[str]:
    return frozenset({namespace})


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """Pods that are meant, and the topology in which to be near to or far from them.

    `namespaces` is None where the term means the namespace of the pod that has it.
    """

    topology_key: str
    selector: LabelSelector
    namespaces: frozenset[str] | None
    namespace_selector: LabelSelector
    _hash: int = field(init=False, compare=False, repr=False)  # without the namespaces, which are resolved later

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.topology_key, self.selector, self.namespace_selector)))

    def __hash__(self) -> int:
        return self._hash  # it is a key of caches that every cycle asks

    @property
    def needed_label(self) -> tuple[str, str] | None:
        """Returns a label, with its value, that all pods have that are meant; None if there is none."""
        for each in self.selector.requirements or ():
            if each.operator == "In" and len(each.values) == 1:
                (value,) = each.values
                return each.key, value
        return None

    def in_namespace(self, namespace: str) -> AffinityTerm:
        """Returns the term as a pod of this namespace means it."""
        if self.namespaces is not None:
            return self
        return self._with_namespaces(_only(namespace))

    def _with_namespaces(self, namespaces: frozenset[str]) -> AffinityTerm:
        new = object.__new__(AffinityTerm)  # with the same hash: a pod may have thousands of terms
        for name in ("topology_key", "selector", "namespace_selector", "_hash"):
            object.__setattr__(new, name, getattr(self, name))
        object.__setattr__(new, "namespaces", namespaces)
        return new

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

    def __len__(self) -> int:
        return len(self.required) + len(self.required_anti) + len(self.preferred)


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
