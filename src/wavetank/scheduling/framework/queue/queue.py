from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import EVENTS, Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.events import ClusterEvent, waiting_pod_events
from wavetank.scheduling.framework.heavywork import HeavyWork
from wavetank.scheduling.framework.plugin import PreEnqueuePlugin
from wavetank.scheduling.framework.queue.equalfailures import EqualFailures

FLUSH_PERIOD = 30 * SECOND


class Place(Enum):
    """Where in the queue a pod is."""

    ACTIVE = "Active"
    BACKOFF = "Backoff"
    ERROR = "Backoff, after an error"
    UNSCHEDULABLE = "Unschedulable"
    GATED = "Gated"
    IN_FLIGHT = "InFlight"
    BEHIND_EQUAL = "BehindEqual"


_READY = (Place.ACTIVE, Place.BACKOFF)
_BACKING_OFF = (Place.BACKOFF, Place.ERROR)


class QueuedPod:
    """A pending pod in the queue, with the results of its attempts so far."""

    attempts = 0
    rejections = 0  # attempts rejected by plugins, since the pod entered the queue
    errors = 0  # errors in a row
    rejectors: frozenset[str] = frozenset()
    gate: PreEnqueuePlugin | None = None  # the plugin that keeps it out of the active queue
    equals: EqualFailures | None = None  # the equal pods that failed with it
    entry = 0  # number of its present heap entry; entries with another number are stale

    def __init__(self, pod: Pod, framework: Framework, timestamp: Nanoseconds, stamp: int) -> None:
        self.pod = pod
        self.framework = framework
        self.timestamp = timestamp  # of the last failure, or of its arrival
        self.stamp = stamp  # order among equal timestamps
        self.place = Place.IN_FLIGHT


@dataclass(frozen=True, slots=True)
class QueueRules:
    """How the queue of a release behaves; times in nanoseconds, `start` is when its timers began.

    A pod that no event wakes is tried again after `max_unschedulable`, at the next tick of 30 s. With
    `updates_end_backoff` a changed pod is tried at once. With `in_order` a pod that does not fit blocks those behind
    it, as in K8sSim.
    """

    initial_backoff: Nanoseconds = SECOND
    max_backoff: Nanoseconds = 10 * SECOND
    pop_from_backoff: bool = True
    max_unschedulable: Nanoseconds = 300 * SECOND
    updates_end_backoff: bool = False
    start: Nanoseconds = 0
    in_order: bool = False


class SchedulingQueue:
    """kube-scheduler's queue: active, back-off and unschedulable pods, moved by events, hints and timers.

    With `pop_from_backoff` (on by default from 1.33) an idle scheduler takes pods out of back-off at once, and
    back-off times are truncated to whole seconds. `wake` is called whenever a pod may be popped.
    """

    def __init__(self, clock: Clock, rules: QueueRules, wake: Callable[[], None], heavy_work: HeavyWork) -> None:
        self._clock = clock
        self._helped = heavy_work.wrap(self._find_helped)
        self._own_change_helps = heavy_work.wrap(self._does_own_change_help)
        self._rules = rules
        self._wake = wake
        self._pods: dict[str, QueuedPod] = {}
        self.unschedulable: dict[str, QueuedPod] = {}
        self.active: list[tuple[Any, ...]] = []  # heaps; if both are empty there is nothing to pop
        self.backoff: list[tuple[Any, ...]] = []
        self.errors: list[tuple[Any, ...]] = []
        self.has_preemptor = False  # a pod with a nominated node can be taken out of back-off
        self._hopeful: set[str] = set()  # pods in error back-off whose next attempt may succeed
        self._stamps = count(0, 1 << 32)  # with a gap after each for its equal pods
        self._last_joined: tuple[QueuedPod, object, int] | None = None  # the last pod that joined, why, and when
        self._failures = 0
        self._entries = count(1)
        self._backoff_timer: Timer | None = None
        self._flush_timer: Timer | None = None

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(self._pods.values())

    # in and out

    def add(self, pod: Pod, framework: Framework) -> None:
        """Adds a new pod."""
        queued = QueuedPod(pod, framework, self._clock.now, next(self._stamps))
        self._pods[pod.uid] = queued
        self._enter(queued, Place.ACTIVE)

    def pop(self) -> QueuedPod | None:
        """Returns the pod to try next, or None if nothing can be tried now."""
        queued = self._pop_from(self.active) if self.active else None
        if queued is None and self.backoff and self._rules.pop_from_backoff:
            queued = self._pop_from(self.backoff)
        if queued is not None:
            queued.place = Place.IN_FLIGHT
            queued.attempts += 1
            if self._hopeful:
                self._hopeful.discard(queued.pod.uid)
        else:
            self.has_preemptor = False
        return queued

    def refused(self, queued: QueuedPod, rejectors: frozenset[str]) -> None:
        """Puts back a pod that plugins rejected: it waits for an event that one of them registers for."""
        self._failed(queued, rejectors)
        queued.rejections += 1
        queued.errors = 0
        self._enter(queued, Place.UNSCHEDULABLE)

    def join_equals(self, queued: QueuedPod, reason: object) -> int:
        """Lets a pod that was just rejected join the one before it, if that was for the same `reason`.

        The caller guarantees that pods rejected for one reason are equal, and that no attempt at another of them could
        end otherwise. Returns how many pods follow this one: they have failed with it.
        """
        behind = len(queued.equals) if queued.equals is not None else 0
        last, self._last_joined = self._last_joined, (queued, reason, self._failures)
        if last is not None and last[1] is reason and last[2] + 1 == self._failures:
            leader = last[0]
            may_join = leader is not queued and leader.place is Place.UNSCHEDULABLE
            may_join &= leader.timestamp == queued.timestamp
            if may_join and self._waits_longest(leader) and self._waits_longest(queued):
                self._join(leader, queued)
                self._last_joined = (leader, reason, self._failures)
        return behind

    def leave_equals(self, queued: QueuedPod) -> None:
        """Separates a popped pod from its equal pods; the next of them takes its place in the queue."""
        following = queued.equals.next() if queued.equals is not None else None
        if following is not None:
            self._requeue(following)

    def _join(self, leader: QueuedPod, queued: QueuedPod) -> None:
        del self.unschedulable[queued.pod.uid]
        queued.place = Place.BEHIND_EQUAL
        queued.entry = 0
        if queued.equals is not None and (leader.equals is None or len(leader.equals) < len(queued.equals)):
            queued.equals.prepend(leader)
        else:
            equals = EqualFailures(leader) if leader.equals is None else leader.equals
            equals.append(queued)

    def _waits_longest(self, queued: QueuedPod) -> bool:
        tries = min(queued.rejections, 62)
        return tries > 0 and self._rules.initial_backoff << (tries - 1) >= self._rules.max_backoff

    def _drop(self, queued: QueuedPod, equals: EqualFailures) -> None:
        """Removes a deleted pod from its equal pods."""
        if equals.leader is queued:
            following = equals.next()
            if following is not None and queued.place is Place.IN_FLIGHT:
                self._requeue(following)
            elif following is not None:
                self._enter(following, queued.place)
        else:
            equals.leave(queued)

    def _separate(self, equals: EqualFailures) -> None:
        """Puts all equal pods into the queue on their own, in their order."""
        leader = equals.leader
        for i, follower in enumerate(list(equals.present()), 1):
            follower.equals = None
            follower.timestamp, follower.stamp = leader.timestamp, leader.stamp + i
            follower.rejections, follower.rejectors = leader.rejections, leader.rejectors
            self._enter(follower, leader.place)
        leader.equals = None

    def failed(self, queued: QueuedPod, hopeless: bool = False) -> None:
        """Puts back a pod whose attempt failed by an error: it always waits for its back-off.

        `hopeless` if trying again cannot help until the cluster changes: then its retries are no progress.
        """
        self._failed(queued, frozenset())
        queued.errors += 1
        if not hopeless:
            self._hopeful.add(queued.pod.uid)
        self._enter(queued, Place.ERROR)

    def update(self, old: Pod, new: Pod) -> None:
        """Sets the new version of a pending pod, which may have become schedulable by its own change."""
        queued = self._pods.get(new.uid)
        if queued is None:
            return
        if queued.equals is not None and _differ(old, new):
            self._separate(queued.equals)
        queued.pod = new
        if queued.place is Place.GATED:
            if self._gate(queued) is None:
                self._enter(queued, Place.ACTIVE)
        elif queued.place is Place.UNSCHEDULABLE:
            if self._own_change_helps(queued, old, new):
                self._requeue_changed(queued)
        elif queued.place in _BACKING_OFF and self._rules.updates_end_backoff:
            self._requeue_changed(queued)
        elif old.priority != new.priority and queued.place not in (Place.IN_FLIGHT, Place.BEHIND_EQUAL):
            self._enter(queued, queued.place)

    def remove(self, pod: Pod) -> None:
        """Removes a pod that was deleted, or bound by another scheduler."""
        queued = self._pods.pop(pod.uid, None)
        if queued is not None:
            queued.entry = 0
            self._hopeful.discard(pod.uid)
            self.unschedulable.pop(pod.uid, None)
            if queued.equals is not None:
                self._drop(queued, queued.equals)

    # events and timers

    def move(self, event: ClusterEvent, old: Any, new: Any, at_most: int | None = None) -> None:
        """Requeues the unschedulable pods that this event may help, only up to the priority `at_most` if given."""
        if not self.unschedulable:
            return
        for queued in self._helped(event, old, new):
            if at_most is None or queued.pod.priority <= at_most:
                self._requeue(queued)

    def _find_helped(self, event: ClusterEvent, old: Any, new: Any) -> list[QueuedPod]:
        return [pod for pod in self.unschedulable.values() if self._helps(pod, event, old, new)]

    def _does_own_change_help(self, queued: QueuedPod, old: Pod, new: Pod) -> bool:
        return any(self._helps(queued, event, old, new) for event in waiting_pod_events(old, new))

    def _helps(self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any) -> bool:
        hints = queued.framework.hints
        if queued.gate is not None and event not in queued.gate.events():
            return False  # the plugin that gates it does not register for the event
        for plugin in queued.rejectors:
            hint = hints[plugin].get(event) if plugin in hints else None
            if hint is not None and hint(queued.pod, old, new):
                return True
        return False

    def _requeue(self, queued: QueuedPod) -> None:
        self._enter(queued, Place.BACKOFF if self._is_backing_off(queued) else Place.ACTIVE)

    def _requeue_changed(self, queued: QueuedPod) -> None:
        if self._rules.updates_end_backoff:
            self._enter(queued, Place.ACTIVE)
        else:
            self._requeue(queued)

    def _failed(self, queued: QueuedPod, rejectors: frozenset[str]) -> None:
        self._failures += 1
        queued.timestamp = self._clock.now
        queued.stamp = next(self._stamps)
        queued.rejectors = rejectors

    def _gate(self, queued: QueuedPod) -> PreEnqueuePlugin | None:
        """Returns the plugin that keeps a pod out of the queue, if any does."""
        for plugin in queued.framework.pre_enqueue:
            if not plugin.pre_enqueue(queued.pod):
                return plugin
        return None

    def _enter(self, queued: QueuedPod, place: Place) -> None:
        uid = queued.pod.uid
        if self._pods.get(uid) is not queued:
            return  # it was deleted during its attempt
        self.unschedulable.pop(uid, None)
        queued.gate = self._gate(queued) if place in _READY else None
        if queued.gate is not None:
            queued.rejectors |= {queued.gate.name}
            place = Place.UNSCHEDULABLE if queued.gate.events() else Place.GATED
        queued.place = place
        queued.entry = next(self._entries)
        order = (-queued.pod.priority, queued.timestamp, queued.stamp, queued.entry, queued)
        if place is Place.ACTIVE:
            heapq.heappush(self.active, order)
            self._wake()
        elif place is Place.BACKOFF:
            self._back_off(self.backoff, queued, order)
            if self._rules.pop_from_backoff:
                self.has_preemptor |= bool(queued.pod.nominated_node)
                self._wake()
        elif place is Place.ERROR:
            self._back_off(self.errors, queued, order)
        elif place is Place.UNSCHEDULABLE:
            self.unschedulable[uid] = queued
            self._arm_flush()

    def _back_off(self, heap: list[tuple[Any, ...]], queued: QueuedPod, order: tuple[Any, ...]) -> None:
        expiry = self._expiry(queued)
        heapq.heappush(heap, (expiry, *order))
        timer = self._backoff_timer
        if timer is None or timer.background or timer.due > self._tick_after(expiry):
            self._arm_backoff()

    def _pop_from(self, heap: list[tuple[Any, ...]]) -> QueuedPod | None:
        while heap:
            item = heapq.heappop(heap)
            queued: QueuedPod = item[-1]
            if queued.entry == item[-2]:
                queued.entry = 0
                return queued
        return None

    # back-off

    def _expiry(self, queued: QueuedPod) -> Nanoseconds:
        tries = queued.errors or queued.rejections
        if not tries:
            return self._truncate(queued.timestamp)
        doubled = min(tries - 1, 62)  # more would be beyond any maximum
        return self._truncate(queued.timestamp + min(self._rules.initial_backoff << doubled, self._rules.max_backoff))

    def _truncate(self, time: Nanoseconds) -> Nanoseconds:
        return time // SECOND * SECOND if self._rules.pop_from_backoff else time

    def _is_backing_off(self, queued: QueuedPod) -> bool:
        if not (queued.rejections or queued.errors):
            return False
        return self._expiry(queued) >= self._truncate(self._clock.now)

    def _arm_backoff(self) -> None:
        """Sets the timer to the first tick at which a pod has waited long enough."""
        heaps = [heap for heap in (self.backoff, self.errors) if self._first(heap)]
        if not heaps:
            return
        due = min(self._tick_after(heap[0][0]) for heap in heaps)
        hopeless = not self.backoff and not self._hopeful
        if self._backoff_timer is not None:
            if self._backoff_timer.due <= due and self._backoff_timer.background == hopeless:
                return
            self._backoff_timer.cancel()
        self._backoff_timer = self._clock.at(due, self._flush_backoff, EVENTS, background=hopeless)

    def _first(self, heap: list[tuple[Any, ...]]) -> bool:
        while heap and heap[0][-1].entry != heap[0][-2]:
            heapq.heappop(heap)
        return bool(heap)

    def _tick_after(self, expiry: Nanoseconds) -> Nanoseconds:
        start = 0 if self._rules.pop_from_backoff else self._rules.start
        return max(start + ((expiry - start) // SECOND + 1) * SECOND, self._clock.now)

    def _flush_backoff(self) -> None:
        self._backoff_timer = None
        now = self._truncate(self._clock.now)
        for heap in (self.backoff, self.errors):
            while self._first(heap) and heap[0][0] < now:
                queued = self._pop_from(heap)
                assert queued is not None
                self._enter(queued, Place.ACTIVE)
        self._arm_backoff()

    # unschedulable for too long

    def _arm_flush(self) -> None:
        if self._flush_timer is None:
            start = self._rules.start
            due = start + ((self._clock.now - start) // FLUSH_PERIOD + 1) * FLUSH_PERIOD
            self._flush_timer = self._clock.at(due, self._flush_unschedulable, EVENTS, background=True)

    def _flush_unschedulable(self) -> None:
        self._flush_timer = None
        for queued in list(self.unschedulable.values()):
            if self._clock.now - queued.timestamp > self._rules.max_unschedulable:
                self._requeue(queued)
        if self.unschedulable:
            self._arm_flush()


def _differ(old: Pod, new: Pod) -> bool:
    """Returns whether two versions of a pending pod would be treated differently."""
    if old.spec is not new.spec or old.labels != new.labels or old.priority != new.priority:
        return True
    return old.unschedulable != new.unschedulable or old.nominated_node != new.nominated_node
