"""Ends runs whose clock stands still: actors that undo each other's work without any time passing."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import FAILED, Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.ownership import controller_of
from wavetank.errors import StandstillError
from wavetank.kernel.clock import BLOCK
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.scheduling.plugins.defaultpreemption.plugin import PREEMPTED

# A run ends if this happens at one instant. Nothing but actors that never agree creates a pod of one name so often, or
# replaces so many pods of one owner that fail.
MOST_EVENTS = 1_000_000
MOST_CREATIONS = 1_000
MOST_REPLACEMENTS = 10_000
_MOST_NAMES = 100_000  # that are counted at a time

_ACTORS = ("scheduling", "controllers", "nodes", "batchoperator", "k8ssim", "loop", "services")


class StandstillGuard:
    """Looks after each block of events whether the clock has moved; StandstillError if it does not for too long."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._clock = store.clock
        self._instant: Nanoseconds | None = None
        self._events = 0
        self._watching = False
        self._created: Counter[str] = Counter()  # by the pod's name
        self._replaced: Counter[str] = Counter()  # by the owner of pods
        self._failed: Counter[str] = Counter()
        self._actors: Counter[str] = Counter()
        self._preempted: Counter[tuple[str, str]] = Counter()  # by preemptor and victim
        self._nominated: dict[str, str] = {}  # by node: the pod that waits for it
        self._clock.after_each_block = self.look

    def look(self) -> None:
        """Counts a block of events."""
        if self._clock.now != self._instant:
            self._begin(self._clock.now)
            return
        self._events += BLOCK
        if not self._watching:
            self._watching = True
            self._store.subscribe(POD, self)
            for pod in self._store.list(POD):
                self._note_nomination(pod)
        for pod, times in self._created.most_common(1):
            if times >= MOST_CREATIONS:
                raise self._error(f"Pod {pod} was created {times:,} times")
        for owner, times in self._failed.most_common(1):
            if min(times, self._replaced[owner]) >= MOST_REPLACEMENTS:
                raise self._error(f"{times:,} pods of {owner} failed and were replaced")
        if self._events >= MOST_EVENTS:
            raise self._error(f"{self._events:,} events happened")

    def _begin(self, instant: Nanoseconds) -> None:
        self._instant, self._events = instant, 0
        if self._watching:
            self._watching = False
            self._store.unsubscribe(POD, self)
            for counts in (self._created, self._replaced, self._failed, self._actors, self._preempted):
                counts.clear()
            self._nominated.clear()

    def _error(self, what: str) -> StandstillError:
        actors = ", ".join(f"{name} ({times:,} writes)" for name, times in self._actors.most_common(4))
        owners = ", ".join(owner for owner, _ in self._replaced.most_common(2))
        acting = f"; acting: {actors}" if actors else ""
        created = f"; pods were created for {owners}" if owners else ""
        preempted = "".join(
            f"; {preemptor} preempted {victim} {times:,} times"
            for (preemptor, victim), times in self._preempted.most_common(2)
        )
        return StandstillError(
            f"the clock stands still at {format_seconds(self._clock.now)} s: {what} at this instant"
            f"{preempted}{acting}{created}. "
            "Actors that undo each other's work need time in between, such as that of scheduling attempts "
            "(spec.latency.attempt)"
        )

    # changes of pods while the clock stands still

    def added(self, new: Pod) -> None:
        """Counts a created pod, by its name and its owner."""
        if len(self._created) >= _MOST_NAMES:
            self._created.clear()
        self._created[f"{new.namespace}/{new.name}"] += 1
        if (owner := _owner(new)) is not None:
            self._replaced[owner] += 1
        self._count_actor()

    def modified(self, old: Pod, new: Pod) -> None:
        """Counts a pod that has failed or is preempted."""
        self._note_nomination(new)
        if _is_preempted(new) and not _is_preempted(old):
            preemptor = self._nominated.get(new.node_name, "another pod")
            self._preempted[preemptor, _owner(new) or _name(new)] += 1
        if new.phase == FAILED and old.phase != FAILED and (owner := _owner(new)) is not None:
            self._failed[owner] += 1
        self._count_actor()

    def deleted(self, old: Pod) -> None:
        """Counts who deletes a pod."""
        self._count_actor()

    def _note_nomination(self, pod: Pod) -> None:
        if pod.nominated_node and not pod.node_name:
            self._nominated[pod.nominated_node] = _name(pod)

    def _count_actor(self) -> None:
        self._actors[_actor(sys._getframe(2))] += 1


def _name(pod: Pod) -> str:
    return f"Pod {pod.namespace}/{pod.name}"


def _is_preempted(pod: Pod) -> bool:
    """Tells whether a pod has to make way: built-in schedulers give it a reason, real ones a condition."""
    conditions = (pod.manifest.get("status") or {}).get("conditions") or ()
    return pod.reason == PREEMPTED or any(each.get("reason") == "PreemptionByScheduler" for each in conditions)


def _owner(pod: Pod) -> str | None:
    owner = controller_of(pod)
    return None if owner is None else f"{owner['kind']} {pod.namespace}/{owner['name']}"


def _actor(frame: FrameType | None) -> str:
    """Returns the package of the actor whose write is being delivered."""
    while frame is not None:
        parts = frame.f_globals.get("__name__", "").split(".")
        if parts[0] == "wavetank" and len(parts) > 2 and parts[1] in _ACTORS and parts[2] != "framework":
            return ".".join(parts[1:3])
        frame = frame.f_back
    return "other actors"
