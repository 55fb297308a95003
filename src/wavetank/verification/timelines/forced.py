"""Runs wavetank's queue on a recorded timeline whose races and results are taken from the record."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.events import ClusterEvent, waiting_pod_events
from wavetank.scheduling.framework.heavywork import HeavyWork
from wavetank.scheduling.framework.queue.queue import Place, QueuedPod, QueueRules, SchedulingQueue
from wavetank.verification.timelines.activity import Activity, ObservedAttempt, key_of
from wavetank.verification.timelines.freerun import WatchedScheduler, play, queue_name
from wavetank.verification.timelines.timeline import Move, TimedAttempt, Timeline

_ADDED = "UnschedulablePodAdd"
_FAILED = "ScheduleAttemptFailure"
_AFTER_BACKOFF = "after_backoff"

_Place = tuple[Nanoseconds, str, int]  # the instant, the name of the event, how many attempts were started before


def run_forced(timeline: Timeline) -> Activity:
    """Runs wavetank's queue, with the order of events and the results of attempts taken from the record.

    If the queue pops another pod than the recorded one, the attempts end there.
    """
    return play(timeline, ForcedScheduler)


@dataclass(slots=True)
class _PendingEvent:
    """An event that is held back until its recorded position between attempts."""

    time: Nanoseconds
    label: str
    apply: Callable[[], None]
    pod: str = ""  # the new one, if it is about one
    has_effect: Callable[[], bool] = lambda: False


class _Traces:
    """Where the record shows that an event was handled: it moved pods, skipped pods, or met a pod in flight."""

    def __init__(self, timeline: Timeline) -> None:
        outputs = timeline.outputs
        self.added = {(move.t, move.pod): move.position for move in outputs.moves if move.event == _ADDED}
        self.moved = {(move.t, move.event, move.position) for move in outputs.moves}
        self.skipped: Counter[_Place] = Counter()
        for t, position, event, count in outputs.skips:
            self.skipped[t, event, position] += count
        self.in_flight = Counter((t, event, position) for t, position, event in outputs.inflight_events)
        self._positions: defaultdict[tuple[Nanoseconds, str], set[int]] = defaultdict(set)
        for t, event, position in (*self.moved, *self.skipped, *self.in_flight):
            self._positions[t, event].add(position)

    def are_left(self, here: _Place) -> bool:
        """Tells whether the record shows an event here that has not been handled yet."""
        return here in self.moved or self.skipped[here] > 0 or self.in_flight[here] > 0

    def needed_after(self, time: Nanoseconds, label: str, position: int) -> int:
        """Returns how many events of this name, at least, were handled at later positions of the instant."""
        later = [place for place in self._positions[time, label] if place > position]
        return sum(max(1, self.in_flight[time, label, place]) for place in later)


class ForcedQueue(SchedulingQueue):
    """A queue that handles each event at its recorded position between attempts, and records each move.

    The record gives an event's position only if the event had an effect. An event without an effect is held back as
    long as later positions of the instant need all events that are left.
    """

    def __init__(
        self, clock: Clock, rules: QueueRules, wake: Callable[[], None], timeline: Timeline, activity: Activity
    ) -> None:
        super().__init__(clock, rules, wake, HeavyWork(None))
        self.started = 0
        self._activity = activity
        self._attempts = timeline.outputs.attempts
        self._traces = _Traces(timeline)
        self._pending: list[_PendingEvent] = []
        self._label = ""
        self._departed = False
        self._in_flight: QueuedPod | None = None

    @property
    def present(self) -> TimedAttempt:
        """Returns the record of the attempt that was started last."""
        return self._attempts[self.started - 1]

    # calls of the scheduler

    def add(self, pod: Pod, framework: Framework) -> None:
        """Adds a new pod at its position."""
        apply = partial(super().add, pod, framework)
        self._pending.append(_PendingEvent(self._clock.now, _ADDED, apply, key_of(pod)))
        self.release()

    def move(self, event: ClusterEvent, old: Any, new: Any, at_most: int | None = None) -> None:
        """Handles an event at its position."""

        def concerned() -> list[QueuedPod]:
            waiting = [item for item in self.unschedulable.values() if item.gate is None or event in item.gate.events()]
            return [item for item in waiting if at_most is None or item.pod.priority <= at_most]

        def apply() -> None:
            skipped = sum(not self._helps(item, event, old, new) for item in concerned())
            self._activity.skips[self._clock.now, event] += skipped
            self._traces.skipped[self._clock.now, event, self.started] -= skipped
            SchedulingQueue.move(self, event, old, new, at_most)

        self._pending.append(_PendingEvent(self._clock.now, event, apply, has_effect=lambda: bool(concerned())))
        self.release()

    def update(self, old: Pod, new: Pod) -> None:
        """Keeps the new version of a pending pod."""
        with self._named(next((str(event) for event in waiting_pod_events(old, new)), "")):
            super().update(old, new)

    # positions

    def release(self) -> None:
        """Handles the events whose position is reached."""
        while (due := next((event for event in self._pending if self._is_due(event)), None)) is not None:
            self._pending.remove(due)
            self._traces.in_flight[due.time, due.label, self.started] -= 1
            with self._named(due.label):
                due.apply()

    def _is_due(self, event: _PendingEvent) -> bool:
        if event.time < self._clock.now:
            return True
        if event.pod:
            return self._traces.added.get((event.time, event.pod), 0) <= self.started
        here = (event.time, event.label, self.started)
        later = self._traces.needed_after(*here)
        if event.has_effect():
            return not later or self._traces.are_left(here)
        return self._traces.in_flight[here] > 0 or sum(other.label == event.label for other in self._pending) > later

    # attempts

    def pop(self) -> QueuedPod | None:
        """Pops the next pod if it is the recorded one, else None from then on, as nothing more can be compared."""
        self.release()
        queued = None if self._departed else super().pop()
        if queued is None:
            return None
        expected = self._attempts[self.started] if self.started < len(self._attempts) else None
        if expected is None or (expected.t, expected.pod) != (self._clock.now, key_of(queued.pod)):
            self._departed = True
            self._activity.attempts.append(ObservedAttempt(self._clock.now, key_of(queued.pod), ""))
            return None
        self.started += 1
        return queued

    def refused(self, queued: QueuedPod, rejectors: frozenset[str]) -> None:
        """Puts a pod back; events during its attempt may move it on."""
        super().refused(queued, rejectors)
        if self.present.hint == _AFTER_BACKOFF:
            self._in_flight = queued
            self.release()
            self._in_flight = None

    def failed(self, queued: QueuedPod, hopeless: bool = False) -> None:
        """Puts back a pod whose attempt failed with an error."""
        with self._named(_FAILED):
            super().failed(queued, hopeless)

    # recording

    @contextmanager
    def _named(self, label: str) -> Iterator[None]:
        before, self._label = self._label, label
        yield
        self._label = before

    def _enter(self, queued: QueuedPod, place: Place) -> None:
        super()._enter(queued, place)
        if self._label:
            label = _FAILED if queued is self._in_flight else self._label
            self._activity.moves.append(
                Move(self._clock.now, self.started, key_of(queued.pod), label, queue_name(queued))
            )

    def _flush_backoff(self) -> None:
        with self._named("BackoffComplete"):
            super()._flush_backoff()

    def _flush_unschedulable(self) -> None:
        with self._named("UnschedulableTimeout"):
            super()._flush_unschedulable()


class ForcedScheduler(WatchedScheduler):
    """A scheduler whose attempts have the recorded results."""

    queue: ForcedQueue

    def __init__(self, timeline: Timeline, activity: Activity, *args: Any, **kwargs: Any) -> None:
        self._timeline = timeline
        self._messages = timeline.outputs.messages
        super().__init__(timeline, activity, *args, **kwargs)

    def _make_queue(self, clock: Clock, rules: QueueRules) -> SchedulingQueue:
        return ForcedQueue(clock, rules, self._wake, self._timeline, self._activity)

    def receive_update(self, old: Pod, new: Pod) -> None:
        """Handles every event at once."""
        self.receive(self.event_handlers.pod_modified, old, new)

    def _turn(self) -> None:
        """Passes all events to the queue first, which holds them back until their position."""
        inbox, self._inbox = self._inbox, []
        for handle, event in inbox:
            handle(*event)
        super()._turn()
        self.queue.release()

    def _outcome(self, cycle: Cycle) -> tuple[Cycle, Outcome]:
        decided_by, ours = super()._outcome(cycle)
        recorded = self.queue.present
        if recorded.node:
            return decided_by, Outcome(node_name=recorded.node)
        outcome = Outcome(
            message="" if recorded.msg is None else self._messages[recorded.msg],
            rejectors=frozenset(recorded.plugins or ()),
        )
        outcome.preemption = ours.preemption
        outcome.keeps_nomination = bool(ours.node_name) or ours.keeps_nomination
        if outcome.preemption is not None:
            outcome.preemption.nominated = recorded.nominated or ""
        return decided_by, outcome
