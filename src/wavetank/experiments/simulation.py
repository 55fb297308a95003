from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.admission import admit
from wavetank.cluster.pod import Pod
from wavetank.cluster.status import ApiError
from wavetank.cluster.store import Store
from wavetank.controllers.resourceclaims import attach_claim_controller
from wavetank.controllers.volumes import attach_volume_controllers
from wavetank.errors import InputError
from wavetank.experiments.connecting import connect_extender
from wavetank.experiments.latency import Latency
from wavetank.experiments.recorder import Recorder
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.garbage import rare_collections
from wavetank.kernel.randomness import Streams
from wavetank.nodes.faults import Fault, Faults
from wavetank.nodes.kubelets import Kubelets
from wavetank.scheduling.config import Version
from wavetank.scheduling.definition import SchedulerDefinition, TieBreaking
from wavetank.scheduling.scheduler import Explain, Scheduler
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Arrival, Workload


@dataclass(frozen=True)
class Setting:
    """Everything that one run needs besides its seed; `schedulers` are attached side by side."""

    cluster: Cluster
    workload: Workload
    schedulers: tuple[SchedulerDefinition, ...]
    version: Version
    latency: Latency
    ties: TieBreaking = "random"
    faults: tuple[Fault, ...] = ()
    horizon: Nanoseconds | None = None


@dataclass
class Simulation:
    """One run: a cluster, a clock, the actors attached to them, and the recorder that watches.

    `tell` is called now and then with the number of pods that have come to their end; `explain` is told of every
    scheduling attempt.
    """

    setting: Setting
    seed: int
    tell: Callable[[int], None] | None = None
    explain: Explain | None = None
    recorder: Recorder = field(init=False)
    attempts: int = 0

    def run(self) -> Recorder:
        """Runs to the horizon, or until no pod can change its state any more; returns what was recorded."""
        with rare_collections():
            return self._run()

    def _run(self) -> Recorder:
        clock, streams = Clock(), Streams(self.seed)
        store = Store(clock)
        self.recorder = Recorder(store, clock, self.tell)
        kubelets = Kubelets(store, clock, streams, self.setting.latency.nodes)
        for resource in self.setting.cluster.resources(store.specs):
            if isinstance(resource, Pod):
                _admit(resource, store)
            store.create(resource)
        attach_volume_controllers(store)
        attach_claim_controller(store)
        Faults(store, clock, kubelets, self.setting.faults)
        schedulers = self._attach(store, clock, streams)
        self.recorder.name_schedulers(schedulers)
        _Submitter(store, clock, self.setting.workload.arrivals(store.specs, streams))
        clock.run(self.setting.horizon)
        self.attempts = sum(scheduler.attempts for _, scheduler in schedulers)
        self.recorder.close()
        return self.recorder

    def _attach(self, store: Store, clock: Clock, streams: Streams) -> Sequence[tuple[str, Scheduler]]:
        setting = self.setting
        return [
            (
                definition.name,
                definition.attach(
                    store,
                    clock,
                    streams,
                    setting.version,
                    setting.ties,
                    setting.latency.scheduler,
                    takes_all=len(setting.schedulers) == 1,
                    explain=self.explain,
                    connect=connect_extender,
                ),
            )
            for definition in setting.schedulers
        ]


class _Submitter:
    """Creates the workload's pods at their times, holding no more than one of them in advance."""

    def __init__(self, store: Store, clock: Clock, arrivals: Iterator[Arrival]) -> None:
        self._store = store
        self._clock = clock
        self._arrivals = arrivals
        self._next: Arrival | None = None
        self._plan()

    def _plan(self) -> None:
        self._next = next(self._arrivals, None)
        if self._next is not None:
            self._clock.at(self._next.time, self._submit)

    def _submit(self) -> None:
        while self._next is not None and self._next.time == self._clock.now:
            pod = self._next.pod
            _admit(pod, self._store)
            self._store.create(pod)
            self._next = next(self._arrivals, None)
        if self._next is not None:
            self._clock.at(self._next.time, self._submit)


def _admit(pod: Pod, store: Store) -> None:
    try:
        admit(pod, store)
    except ApiError as error:
        raise InputError(str(error), path=f"pod {pod.namespace}/{pod.name}") from None
