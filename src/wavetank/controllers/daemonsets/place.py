from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.pod import FAILED, SUCCEEDED, Pod
from wavetank.controllers.daemonsets.terms import HASH, Terms
from wavetank.kernel.durations import SECOND, Nanoseconds

# What a place is counted as in the status.
DESIRED, CURRENT, MISSCHEDULED = "desiredNumberScheduled", "currentNumberScheduled", "numberMisscheduled"
READY, AVAILABLE, UPDATED = "numberReady", "numberAvailable", "updatedNumberScheduled"

# What is to be done there.
CREATE, DELETE = "create", "delete"
# How it stands in a rolling update: nothing available there; an old pod that may go at once; one that may go if there
# is room for that; an old and a new pod; an available pod; an old pod where none is to be.
LACKING, STALE, OLD, SURGING, SERVING, UNWANTED = "lacking", "stale", "old", "surging", "serving", "unwanted"


class Place:
    """One node as a DaemonSet sees it: the pods that are there or on their way, and what follows from them."""

    __slots__ = ("doomed", "exists", "marks", "matures", "old", "pods", "run", "stay")

    def __init__(self) -> None:
        self.pods: dict[str, Pod] = {}  # by uid
        self.exists = False  # the node itself
        self.run = self.stay = False
        self.marks: frozenset[str] = frozenset()
        self.doomed: tuple[Pod, ...] = ()
        self.old: Pod | None = None
        self.matures: Nanoseconds | None = None  # when a pod will be available that is only ready


class Judge:
    """Tells how a place stands, by the terms of a DaemonSet and the hash of its present template."""

    def __init__(
        self, terms: Terms, hash_: str, now: Nanoseconds, ready_since: Callable[[Pod], Nanoseconds | None]
    ) -> None:
        self._terms = terms
        self._hash = hash_
        self._now = now
        self._ready_since = ready_since

    def judge(self, place: Place) -> None:
        """Works out what a place is counted as, and what is to be done there."""
        place.matures, place.old, place.doomed = None, None, ()
        pods = [pod for pod in place.pods.values() if not (pod.finished and pod.deleted is not None)]
        marks = set(self._counts(place, pods))
        if place.exists:
            marks.update(self._needs(place, pods))
        else:
            place.doomed = tuple(pod for pod in pods if not pod.node_name and pod.deleted is None)
        if place.doomed:
            marks.add(DELETE)
        if self._terms.rolling and (pods or place.run):
            marks.update(self._standing(place, pods))
        place.marks = frozenset(marks)

    # the status

    def _counts(self, place: Place, pods: list[Pod]) -> list[str]:
        if not place.exists:
            return []
        if not place.run:
            return [MISSCHEDULED] if pods else []
        if not pods:
            return [DESIRED]
        pod, counts = min(pods, key=_age), [DESIRED, CURRENT]
        if self._ready_since(pod) is not None:
            counts.append(READY)
            if self._is_available(pod, place):
                counts.append(AVAILABLE)
        if self._terms.is_updated(pod.labels, self._hash):
            counts.append(UPDATED)
        return counts

    # what is to be done

    def _needs(self, place: Place, pods: list[Pod]) -> list[str]:
        if place.run and not pods:
            return [CREATE]
        alive = [pod for pod in pods if pod.deleted is None]
        if not place.stay:
            place.doomed = tuple(alive)
            return []
        ended = [pod for pod in alive if pod.phase in (FAILED, SUCCEEDED)]
        running = sorted((pod for pod in alive if not pod.finished), key=_age)
        surplus = self._surplus_of_surge(place, running) if self._terms.surges else running[1:]
        place.doomed = (*ended, *surplus)
        return [CREATE] if self._terms.surges and not running and place.run else []

    def _surplus_of_surge(self, place: Place, running: list[Pod]) -> list[Pod]:
        """Returns which pods are too many where an old and a new one may be: the old one, once it is replaced."""
        if len(running) < 2:
            return []
        new = [pod for pod in running if pod.labels.get(HASH) == self._hash]
        old = [pod for pod in running if pod.labels.get(HASH) != self._hash]
        surplus = [*new[1:], *old[1:]]
        if new and old and (self._ready_since(old[0]) is None or self._is_available(new[0], place)):
            surplus.append(old[0])
        return surplus

    # a rolling update

    def _standing(self, place: Place, pods: list[Pod]) -> list[str]:
        alive = [pod for pod in pods if pod.deleted is None]
        new = [pod for pod in alive if self._terms.is_updated(pod.labels, self._hash)]
        old = [pod for pod in alive if not self._terms.is_updated(pod.labels, self._hash)]
        if len(new) > 1 or len(old) > 1:
            return [LACKING, SURGING]  # first one of them goes
        place.old = old[0] if old else None
        serves = [SERVING] if (old or new) and self._is_available((old or new)[0], place) else []
        if old and new:
            done = self._is_available(new[0], place)
            return [LACKING, *serves, STALE if done else SURGING]
        if not old:
            return serves or [LACKING]
        if not serves:
            return [LACKING, STALE]
        return [*serves, OLD] if place.run or not self._terms.surges else [*serves, UNWANTED]

    def _is_available(self, pod: Pod, place: Place) -> bool:
        since = self._ready_since(pod)
        if since is None:
            return False
        due = since + self._terms.min_ready
        if due > self._now:
            place.matures = due if place.matures is None else min(due, place.matures)
        return due <= self._now


def _age(pod: Pod) -> tuple[bool, Nanoseconds, str]:
    return not pod.node_name, pod.created // SECOND, pod.name
