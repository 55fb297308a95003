from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec

P = ParamSpec("P")
T = TypeVar("T")

_MANY = 500  # items of an object, with which a scheduler is busy for more than a few milliseconds


class Beside(Protocol):
    """Runs a function beside other work of the caller's thread, and returns what it returns."""

    def __call__(self, function: Callable[[], T], /) -> T:
        """Runs a function; its exceptions are raised here."""


class HeavyWork:
    """Runs what a scheduler computes beside the event loop of a server, as long as it knows any very large object.

    One pod with 30,000 affinity terms makes the attempts of all pods long, and so may one with claims on devices.
    While such work is under way, what it reads must not change: changes are postponed. Work may contain other work.
    Without `beside` nothing is different.
    """

    def __init__(self, beside: Beside | None) -> None:
        self._beside = beside
        self._large: set[str] = set()  # uids
        self._postponed: list[Callable[[], None]] = []
        self._is_under_way = False

    def note(self, known: Pod | Node) -> None:
        """Notes whether a pod or node, which is new or has changed, is large."""
        if self._beside is not None:
            if _is_large(known):
                self._large.add(known.uid)
            else:
                self._large.discard(known.uid)

    def forget(self, gone: Pod | Node) -> None:
        """Forgets a pod or node."""
        self._large.discard(gone.uid)

    def wrap(self, function: Callable[P, T]) -> Callable[P, T]:
        """Returns what runs a function in this way; it must use nothing but the scheduler's own tables."""
        return function if self._beside is None else partial(self._do, self._beside, function)

    def _do(self, beside: Beside, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if not self._large or self._is_under_way:
            return function(*args, **kwargs)
        self._is_under_way = True
        try:
            return beside(partial(function, *args, **kwargs))
        finally:
            self._is_under_way = False
            postponed, self._postponed = self._postponed, []
            for change in postponed:
                change()

    def postpone(self, change: Callable[[], None]) -> bool:
        """Makes a change of what the work reads after it, if any is under way; returns whether it is."""
        if self._is_under_way:
            self._postponed.append(change)
        return self._is_under_way


def _is_large(known: Pod | Node) -> bool:
    if isinstance(known, Pod):
        claims = known.spec.manifest.get("resourceClaims")  # whose expressions are evaluated for each device
        return bool(claims) or len(known.labels) + _items(known.spec) > _MANY
    return len(known.labels) + len(known.taints) + len(known.images) + len(known.allocatable) > _MANY


def _items(spec: PodSpec) -> int:
    """Returns how many parts of a spec schedulers look at one by one."""
    affinity = spec.node_affinity
    terms = len(affinity.preferred) + (len(affinity.required.terms) if affinity.required is not None else 0)
    selected = len(affinity.selector.requirements or ())
    lists = len(spec.tolerations.items) + len(spec.pod_affinity) + len(spec.spread) + len(spec.volumes)
    return terms + selected + lists + len(spec.ports) + len(spec.requests) + len(spec.images)
