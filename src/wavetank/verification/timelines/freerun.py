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
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.queue.queue import QueuedPod, QueueRules
from wavetank.scheduling.framework.selection import ExactTies
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.scheduling.registry import Handle, build_frameworks
from wavetank.scheduling.scheduler.scheduler import Scheduler
from wavetank.simulation.world import World
from wavetank.verification.timelines.activity import Activity, ObservedAttempt, key_of
from wavetank.verification.timelines.inputs import FaultyStore, RecordedInputs
from wavetank.verification.timelines.timeline import Timeline

_HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def run_freely(timeline: Timeline) -> Activity:
    """Runs wavetank's scheduler on the recorded inputs."""
    return play(timeline, WatchedScheduler)


def play(timeline: Timeline, build: Callable[..., WatchedScheduler]) -> Activity:
    """Runs a scheduler on the recorded inputs, from the first to the last recorded instant."""
    options = timeline.inputs.options
    refused = {pod: fault["bind_errors"] for pod, fault in (options.get("faults") or {}).items()}
    world = World(timeline.version, store=FaultyStore(Clock(timeline.timers.process_start_ns), refused))
    configuration = parse_configuration({**_HEAD, **timeline.config}, timeline.version)
    handle = Handle(timeline.version, Listers(), Random(0))
    activity = Activity()
    build(
        timeline,
        activity,
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
            activity.binds.append((world.clock.now, key_of(new), new.node_name))

    world.store.subscribe(POD, modified=note_binding)
    world.run(timeline.outputs.end_ns)
    return activity


def _latency(given: dict[str, Nanoseconds]) -> SchedulerLatency:
    bind, patch, delete = (Constant(given.get(f"{call}_ns", 0) / SECOND) for call in ("bind", "patch", "delete"))
    return SchedulerLatency(bind=bind, patch=patch, delete=delete)


class WatchedScheduler(Scheduler):
    """A scheduler whose attempts are recorded in `activity`.

    Among equally good nodes for a preemption it takes the recorded one: the real choice depends on Go's map order.
    """

    def __init__(self, timeline: Timeline, activity: Activity, *args: Any, **kwargs: Any) -> None:
        self._recorded = timeline.outputs.attempts
        self._activity = activity
        self._last: dict[str, ObservedAttempt] = {}
        self._decided: Outcome | None = None
        super().__init__(*args, explain=self._note, **kwargs)

    def _note(self, time: Nanoseconds, pod: Pod, outcome: Outcome, cycle: object) -> None:
        self._decided = outcome
        preemption, number = outcome.preemption, len(self._activity.attempts)
        if preemption is not None and number < len(self._recorded):
            nominated = self._recorded[number].nominated or ""
            if nominated in preemption.equally_good:
                preemption.nominated = nominated

    def _attempt(self, queued: QueuedPod) -> None:
        pod = queued.pod
        super()._attempt(queued)
        outcome = self._decided
        assert outcome is not None
        observed = ObservedAttempt(self._clock.now, key_of(pod), "bound", outcome.node_name)
        if not outcome.node_name:
            observed.result = "unschedulable"
            observed.message, observed.queue = outcome.message, queue_name(queued)
            observed.plugins = tuple(sorted(outcome.rejectors))
            if outcome.preemption is not None:
                observed.nominated = outcome.preemption.nominated
                evicted = (victim for victim in outcome.preemption.victims if victim.deleted is None)
                observed.victims = frozenset(map(key_of, evicted))
        self._last[pod.uid] = observed
        self._activity.attempts.append(observed)

    def _unbind(self, cycle: Cycle, queued: QueuedPod, node_name: str, message: str) -> None:
        super()._unbind(cycle, queued, node_name, message)
        observed = self._last[queued.pod.uid]
        observed.result, observed.message = "error", message
        if self._store.find(POD, queued.pod.namespace, queued.pod.name) is not None:
            observed.queue = queue_name(queued)


def queue_name(queued: QueuedPod) -> str:
    """Returns the record's name of the queue that a pod is in."""
    return queued.place.value.partition(",")[0]
