"""Runs wavetank's scheduler freely on a recorded timeline's inputs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import Clock
from wavetank.kernel.distributions import Constant
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.config import parse_configuration
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.cycle.selection import ExactTies
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.queue.queue import QueuedPod, QueueRules
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.scheduling.registry import Handle, build_frameworks
from wavetank.scheduling.scheduler.scheduler import Scheduler
from wavetank.simulation.world import World
from wavetank.verification.timelines.happenings import Happened, Happenings, key_of
from wavetank.verification.timelines.inputs import FaultyStore, RecordedInputs
from wavetank.verification.timelines.timeline import Timeline

_HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def run_freely(timeline: Timeline) -> Happenings:
    """Lets wavetank's scheduler do as it likes on the recorded inputs."""
    return play(timeline, WatchedScheduler)


def play(timeline: Timeline, build: Callable[..., WatchedScheduler]) -> Happenings:
    """Plays the recorded inputs to a scheduler from the first to the last recorded moment."""
    options = timeline.inputs.options
    refused = {pod: fault["bind_errors"] for pod, fault in (options.get("faults") or {}).items()}
    world = World(timeline.version, store=FaultyStore(Clock(timeline.timers.process_start_ns), refused))
    configuration = parse_configuration({**_HEAD, **timeline.config}, timeline.version)
    handle = Handle(timeline.version, Listers(), Random(0))
    happenings = Happenings()
    build(
        timeline,
        happenings,
        world.store,
        world.clock,
        build_frameworks(configuration, handle),
        handle.listers,
        ties=ExactTies(),
        random=Random(0),
        rules=QueueRules(
            initial_backoff=configuration.pod_initial_backoff_s * SECOND,
            max_backoff=configuration.pod_max_backoff_s * SECOND,
            pop_from_backoff=timeline.feature_gates.get("SchedulerPopFromBackoffQ", True),
            start=timeline.timers.queue_start_ns,
        ),
        latency=_latency(options.get("latency") or {}),
    )
    RecordedInputs(world.context, [*timeline.inputs.init, *timeline.inputs.events])

    def note_binding(old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            happenings.binds.append((world.clock.now, key_of(new), new.node_name))

    world.store.subscribe(POD, modified=note_binding)
    world.run(timeline.outputs.end_ns)
    return happenings


def _latency(given: dict[str, Nanoseconds]) -> SchedulerLatency:
    bind, patch, delete = (Constant(given.get(f"{call}_ns", 0) / SECOND) for call in ("bind", "patch", "delete"))
    return SchedulerLatency(bind=bind, patch=patch, delete=delete)


class WatchedScheduler(Scheduler):
    """A scheduler whose every attempt is noted.

    Of nodes that are equally good for a preemption it takes the recorded one: the real choice is Go's map order.
    """

    def __init__(self, timeline: Timeline, happenings: Happenings, *args: Any, **kwargs: Any) -> None:
        self._recorded = timeline.outputs.attempts
        self._happenings = happenings
        self._last: dict[str, Happened] = {}
        self._decided: Outcome | None = None
        super().__init__(*args, explain=self._note, **kwargs)

    def _note(self, time: Nanoseconds, pod: Pod, outcome: Outcome, cycle: object) -> None:
        self._decided = outcome
        preemption, number = outcome.preemption, len(self._happenings.attempts)
        if preemption is not None and number < len(self._recorded):
            nominated = self._recorded[number].nominated or ""
            if nominated in preemption.equally_good:
                preemption.nominated = nominated

    def _attempt(self, queued: QueuedPod) -> None:
        pod = queued.pod
        super()._attempt(queued)
        outcome = self._decided
        assert outcome is not None
        happened = Happened(self._clock.now, key_of(pod), "bound", outcome.node_name)
        if not outcome.node_name:
            happened.result = "unschedulable"
            happened.message, happened.queue = outcome.message, queue_name(queued)
            happened.plugins = tuple(sorted(outcome.rejectors))
            if outcome.preemption is not None:
                happened.nominated = outcome.preemption.nominated
                going = (victim for victim in outcome.preemption.victims if victim.deleted is None)
                happened.victims = frozenset(map(key_of, going))
        self._last[pod.uid] = happened
        self._happenings.attempts.append(happened)

    def _unbind(self, cycle: Cycle, queued: QueuedPod, node_name: str, message: str) -> None:
        super()._unbind(cycle, queued, node_name, message)
        happened = self._last[queued.pod.uid]
        happened.result, happened.message = "error", message
        if self._store.find(POD, queued.pod.namespace, queued.pod.name) is not None:
            happened.queue = queue_name(queued)


def queue_name(queued: QueuedPod) -> str:
    """Returns what a record calls the queue that a pod is in."""
    return queued.place.value.partition(",")[0]
