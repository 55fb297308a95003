from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.releases import Version
from wavetank.cluster.rules.admission import admit
from wavetank.cluster.store.store import Store
from wavetank.controllers.descriptors import all_names, start_controllers
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.loop.processes.definition import ManagerDefinition, ProcessDefinition
from wavetank.nodes.faults import Fault, Faults
from wavetank.nodes.k8ssim.kubelets import K8sSimKubelets
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.results.recording.k8ssimtasks import TaskLedger
from wavetank.results.recording.recorder import Recorder
from wavetank.scheduling.attachable import Attachable, Attached, SchedulerOptions, TieBreaking
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.gpusharing.policy import GpuPolicy
from wavetank.scheduling.outlook import Outlook
from wavetank.scheduling.scheduler.scheduler import Explain
from wavetank.simulation.controllers import VOLCANO_JOBS, WORKLOAD_KINDS, object_kinds, run_context
from wavetank.simulation.execution import K8SSIM, KUBELET, Execution
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.k8ssimjobs import JobStarter
from wavetank.simulation.latency.model import Latency
from wavetank.simulation.podgroup_admission import left_outside
from wavetank.simulation.submitter import Submitter, check_pod
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.generators.inflation import Inflated, known_pods
from wavetank.workloads.workload import Workload, object_arrivals

if TYPE_CHECKING:
    from wavetank.results.recording.gpuuse import GpuUse
    from wavetank.simulation.loading import PodCompleter
    from wavetank.simulation.programs import Loop


@dataclass(frozen=True)
class Setting:
    """Everything that one run needs besides its seed; `schedulers` and `processes` are attached side by side."""

    cluster: Cluster
    workload: Workload
    schedulers: tuple[Attachable, ...]
    version: Version
    latency: Latency
    ties: TieBreaking = "random"
    faults: tuple[Fault, ...] = ()
    horizon: Nanoseconds | None = None
    processes: tuple[ProcessDefinition, ...] = ()
    controllers: frozenset[str] = all_names()
    execution: Execution = KUBELET
    manager: ManagerDefinition | None = None  # a real controller manager, in place of controllers that are not on

    @property
    def all_controllers(self) -> frozenset[str]:
        """Returns the controllers that are on, built-in or real."""
        return self.controllers | frozenset(self.manager.controllers if self.manager else ())

    @property
    def shares_gpus(self) -> bool:
        """Tells whether a policy deals out GPUs device by device."""
        policies = (each.policy for each in self.schedulers if isinstance(each, SchedulerDefinition))
        return any(policy is not None and issubclass(policy, GpuPolicy) for policy in policies)


@dataclass
class Simulation:
    """One run: a cluster, a clock, the actors attached to them, and the recorder that watches.

    `tell` is called now and then with the number of pods that have come to their end; `explain` is told of every
    scheduling attempt. `left_outside` says of jobs that got no pods why; `tasks` is what K8sSim's tables are made of,
    where its nodes run the pods.
    """

    setting: Setting
    seed: int
    tell: Callable[[int], None] | None = None
    explain: Explain | None = None
    recorder: Recorder = field(init=False)
    attempts: int = 0
    left_outside: list[str] = field(default_factory=list)
    tasks: TaskLedger | None = None

    def run(self) -> Recorder:
        """Runs to the horizon, or until no pod can change its state any more; returns what was recorded."""
        clock, streams, setting = Clock(), Streams(self.seed), self.setting
        with ExitStack() as stack:
            loop = self._loop(clock, stack)
            store = loop.store if loop else Store(clock)
            self.recorder = Recorder(store, clock, self.tell)
            kubelets = self._kubelets(store, clock, streams)
            if setting.shares_gpus:
                self.recorder.gpus = _watch_gpus(store)
            processes = loop.begin(streams, setting.latency.scheduler) if loop else []
            finish = partial(_finish, store=store)
            loop.plant(setting.cluster) if loop else _plant(setting.cluster, store, finish)
            complete = (
                partial(_complete, store=store, completer=loop.completer) if loop else partial(admit, store=store)
            )
            context = run_context(store, streams, complete, observed=loop is not None)
            start_controllers(context, self._controllers(store, complete))
            if kubelets is not None:
                Faults(store, clock, kubelets, setting.faults)
            schedulers = self._attach(store, clock, streams)
            self.recorder.name_schedulers([*schedulers, *processes])
            kinds = object_kinds(setting.all_controllers, setting.schedulers)
            submitted = object_arrivals(setting.workload, store.specs, streams, kinds)
            Submitter(store, submitted, complete, finish)
            end = _run(clock, setting.horizon, loop)
            self.left_outside = left_outside(scheduler for _, scheduler in schedulers)
            self.attempts = sum(scheduler.attempts for _, scheduler in schedulers) + (loop.attempts if loop else 0)
        self.recorder.close(end)
        return self.recorder

    def _kubelets(self, store: Store, clock: Clock, streams: Streams) -> Kubelets | None:
        """Makes the nodes' own actors; None if they are those of K8sSim, which no fault can stop."""
        if self.setting.execution == KUBELET:
            return Kubelets(store, clock, streams, self.setting.latency.nodes)
        self.tasks = TaskLedger(store)
        K8sSimKubelets(store, clock)
        return None

    def _controllers(self, store: Store, complete: Callable[[Pod], None]) -> frozenset[str]:
        """Returns the controllers of the frame that are on; K8sSim makes the pods of Volcano's Jobs in its own way."""
        controllers = self.setting.controllers
        if self.setting.execution != K8SSIM or VOLCANO_JOBS not in controllers:
            return controllers
        JobStarter(store, complete)
        return controllers - {VOLCANO_JOBS}

    def _loop(self, clock: Clock, stack: ExitStack) -> Loop | None:
        """Makes the loop of a run with programs, which is closed whatever happens; few runs need it."""
        if not self.setting.processes and self.setting.manager is None:
            return None
        from wavetank.simulation.programs import Loop

        loop = Loop(clock, self.setting.processes, self._takes_all, self.setting.manager)
        stack.callback(loop.close)
        return loop

    @property
    def _takes_all(self) -> bool:
        """Tells whether there is only one scheduler, which then gets every pod."""
        return len(self.setting.schedulers) + len(self.setting.processes) == 1

    def _attach(self, store: Store, clock: Clock, streams: Streams) -> Sequence[tuple[str, Attached]]:
        setting = self.setting
        context = ActorContext(store, streams, setting.version)
        options = SchedulerOptions(
            setting.ties, setting.latency.scheduler, self._takes_all, self.explain, connect_extender
        )
        return [(each.name, self._informed(each).attach(context, options)) for each in setting.schedulers]

    def _informed(self, definition: Attachable) -> Attachable:
        """Lets a policy that wants it know beforehand what will come."""
        if not isinstance(definition, SchedulerDefinition) or not definition.expects:
            return definition
        workload, seed = self.setting.workload, self.seed
        nodes = workload.node_order(self.setting.cluster.node_names, seed) if isinstance(workload, Inflated) else ()
        return replace(definition, outlook=Outlook(partial(known_pods, workload, seed), nodes))


def _watch_gpus(store: Store) -> GpuUse:
    from wavetank.results.recording.gpuuse import GpuUse  # few runs share GPUs

    return GpuUse(store)


def _run(clock: Clock, horizon: Nanoseconds | None, loop: Loop | None) -> Nanoseconds:
    """Runs to the end and returns when that was: when the last thing happened, if there is no horizon."""
    clock.run(horizon)
    end = clock.now
    while loop is not None and horizon is None and loop.linger():
        clock.run()
        end = clock.now
    return end


def _plant(cluster: Cluster, store: Store, finish: Callable[[Resource], Resource]) -> None:
    for resource in cluster.resources(store.specs):
        if isinstance(resource, Pod):
            check_pod(resource, partial(admit, store=store))
        store.create(finish(resource) if resource.group_kind in WORKLOAD_KINDS else resource)


def _finish(resource: Resource, store: Store) -> Resource:
    """Completes an object of which a controller makes pods, as an API server would; few runs need it."""
    from wavetank.simulation.loading import complete_object

    return complete_object(resource, store)


def _complete(pod: Pod, store: Store, completer: PodCompleter) -> None:
    """Completes a new pod as an API server would, for programs that look at it."""
    completer.complete(pod)
    admit(pod, store)
