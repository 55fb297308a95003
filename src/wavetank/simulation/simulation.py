from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.power import POWER
from wavetank.cluster.releases import Version
from wavetank.cluster.store.store import Store
from wavetank.controllers.descriptors import all_names, start_controllers
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.nodelifecycle.descriptor import POD_GARBAGE_COLLECTOR
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.faults import Fault, Faults
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.scheduling.attachable import Attachable, SchedulerOptions, TieBreaking
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.forecast import Forecast
from wavetank.scheduling.scheduler.scheduler import Explain
from wavetank.simulation.controllers import VOLCANO_JOBS, object_kinds, run_context
from wavetank.simulation.creation.admission import Admission
from wavetank.simulation.creation.initialobjects import load_objects
from wavetank.simulation.creation.podgroupadmission import not_admitted
from wavetank.simulation.execution import K8SSIM, KUBELET, SHARING, Execution
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.latency.model import Latency
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.observer import Observer
from wavetank.simulation.world import API_HISTORY, World
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.generators.inflation import Inflated, known_pods
from wavetank.workloads.workload import Workload

if TYPE_CHECKING:
    from wavetank.loop.processes.definition import ControllerDefinition, ManagerDefinition, ProcessDefinition
    from wavetank.microservices.cluster.services import ServicesSetting
    from wavetank.nodes.k8ssim.kubelets import K8sSimKubelets
    from wavetank.nodes.power.saver import SavingOptions
    from wavetank.nodes.power.switch import PowerSwitch
    from wavetank.simulation.batchoperator import OperatorRun, OperatorSetting
    from wavetank.simulation.metrics.setting import MetricsSetting
    from wavetank.simulation.programs import Loop
    from wavetank.simulation.scaling.nodepools import Provisioning
    from wavetank.simulation.scaling.scalablegroup import ScalableGroup

DEFINITION = "CustomResourceDefinition"


@dataclass(frozen=True)
class Setting:
    """Everything that a run needs besides its seed; `schedulers` and `processes` are attached side by side."""

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
    programs: tuple[ControllerDefinition, ...] = ()  # other real controllers
    manager: ManagerDefinition | None = None  # a real controller manager, for controllers that are not built in
    metrics: MetricsSetting | None = None  # what the metrics APIs measure; None: pods use what they request
    controller_flags: Mapping[str, str] = field(default_factory=dict)  # kube-controller-manager's, without dashes
    node_groups: tuple[ScalableGroup, ...] = ()
    autoscaler_flags: Mapping[str, object] | None = None  # cluster-autoscaler's; None: there is none
    provisioning: Provisioning | None = None  # node pools, as Karpenter's
    power_saving: SavingOptions | None = None  # None: nodes stay on unless a policy switches them off
    services: ServicesSetting | None = None  # microservices whose instances are pods
    operator: OperatorSetting | None = None  # the batch operator; None: there is none

    @property
    def has_power(self) -> bool:
        """Tells whether any node of the cluster or of its groups has a power model."""
        return self.cluster.annotates_nodes(POWER) or any(group.power for group in self.node_groups)

    @property
    def queues_pods(self) -> bool:
        """Tells whether the built-in Kueue runs: pods that name a queue then wait for their quota."""
        return "kueue" in self.controllers and self.cluster.has_kind("ClusterQueue")

    @property
    def has_programs(self) -> bool:
        """Tells whether programs in the loop take part."""
        return bool(self.processes or self.programs) or self.manager is not None

    @property
    def all_controllers(self) -> frozenset[str]:
        """Returns the controllers that are on, built-in or real."""
        real = frozenset(self.manager.controllers if self.manager else ())
        return self.controllers.union(real, *(program.replaces for program in self.programs))

    @property
    def shares_gpus(self) -> bool:
        """Tells whether a policy deals out GPUs device by device."""
        given = [each.policy for each in self.schedulers if isinstance(each, SchedulerDefinition)]
        policies = [policy for policy in given if policy is not None]
        if not policies:
            return False
        from wavetank.scheduling.gpusharing.policy import GpuPolicy  # few runs need it

        return any(issubclass(policy, GpuPolicy) for policy in policies)


@dataclass
class Simulation:
    """One run: a World with all actors of a setting.

    `observers` join before the nodes; `explain` is called with every scheduling attempt. `drive` advances the clock in
    place of the run and returns at its end; there are no programs in the loop then. After `run`, `attempts` counts the
    scheduling attempts and `not_admitted` has a line for each reason for which jobs got no pods.
    """

    setting: Setting
    seed: int
    observers: Sequence[Observer] = ()
    explain: Explain | None = None
    drive: Callable[[World], None] | None = None
    attempts: int = field(default=0, init=False)
    not_admitted: list[str] = field(default_factory=list, init=False)

    def run(self) -> None:
        """Runs to the horizon, or until no pod can change its state any more."""
        setting = self.setting
        world = World(setting.version, self.seed, Store(Clock(), API_HISTORY if setting.has_programs else 0))
        with ExitStack() as stack:
            operator = self._operator()
            loop = self._loop(world.context, stack, operator)
            for observer in self.observers:
                observer.join(world.context)
            kubelets = self._nodes(world.context)
            if loop is not None:
                loop.define(self._definitions())
            programs = loop.begin(setting.latency.scheduler) if loop else []
            completer, creation = (loop.completer, loop.creation) if loop else (None, None)
            admission = Admission(world.store, completer, creation, setting.queues_pods)
            loop.load(setting.cluster) if loop else load_objects(setting.cluster, admission)
            waiting = self._start_controllers(world.context, admission, operator)
            kubelets.loaded()
            if isinstance(kubelets, Kubelets):  # K8sSim's nodes have no faults, and pods wait for missing ones
                Faults(world.context, kubelets, setting.faults)
                if POD_GARBAGE_COLLECTOR.name in waiting:
                    kubelets.nodeless.tell(waiting[POD_GARBAGE_COLLECTOR.name])
            switch = self._power_switch(world.context)
            options = replace(self._scheduler_options(operator), power=switch)
            world.attach(map(self._informed, setting.schedulers), options)
            for observer in self.observers:
                observer.attached([*world.schedulers, *programs])
            kinds = object_kinds(setting.all_controllers, (*setting.schedulers, *setting.processes))
            world.submit(setting.workload, kinds, admission.complete, admission.finish, admission.create)
            end = self._run(world, loop)
            self.attempts = sum(each.attempts for _, each in world.schedulers) + (loop.attempts if loop else 0)
        self.not_admitted = not_admitted(scheduler for _, scheduler in world.schedulers)
        for observer in self.observers:
            observer.ended(end)

    def _definitions(self) -> list[dict[str, Any]]:
        """Returns the definitions of custom kinds: those of the cluster, and of what the run itself has objects of."""
        from wavetank.controllers.karpenter.definitions import definitions as claim_definitions  # few runs need them
        from wavetank.controllers.machines.definitions import definitions as machine_definitions

        setting = self.setting
        given = [dict(each) for each in setting.cluster.manifests if each.get("kind") == DEFINITION]
        machines = machine_definitions() if setting.node_groups else []
        claims = claim_definitions() if setting.provisioning is not None else []
        manifests = [each.manifests for each in setting.processes] + [each.manifests for each in setting.programs]
        needed = (dict(each) for objects in manifests for each in objects if each["kind"] == DEFINITION)
        chosen = {each["metadata"]["name"]: each for each in (*needed, *claims, *machines, *given)}
        return list(chosen.values())

    def _run(self, world: World, loop: Loop | None) -> Nanoseconds:
        """Runs to the end and returns its time."""
        if self.drive is None:
            return _run(world.clock, self.setting.horizon, loop)
        self.drive(world)
        return world.clock.now

    def _nodes(self, context: ActorContext) -> Kubelets | K8sSimKubelets:
        """Makes the kubelets."""
        if self.setting.execution != K8SSIM:
            return Kubelets(context, self.setting.latency.nodes, sharing=self.setting.execution == SHARING)
        from wavetank.nodes.k8ssim.kubelets import K8sSimKubelets  # few runs need them

        return K8sSimKubelets(context)

    def _start_controllers(
        self, context: ActorContext, admission: Admission, operator: OperatorRun | None
    ) -> Mapping[str, Callable[[], None]]:
        """Starts the controllers that are on; K8sSim makes the pods of Volcano's Jobs in its own way.

        Returns what starts those that wait for their first object.
        """
        names = self.setting.controllers
        setting = self.setting
        metrics = self._metrics(context)
        controllers = run_context(context, admission, setting.has_programs, metrics, setting.controller_flags)
        if self.setting.execution == K8SSIM and VOLCANO_JOBS in names:
            from wavetank.simulation.k8ssimjobs import JobStarter  # few runs need it

            JobStarter(context, admission.complete)
            names -= {VOLCANO_JOBS}
        waiting = start_controllers(controllers, names)
        if setting.node_groups or setting.autoscaler_flags is not None or setting.provisioning is not None:
            self._scale_nodes(context, controllers)
        if operator is not None:
            operator.start(context, controllers)
        return waiting

    def _scale_nodes(self, context: ActorContext, controllers: ControllerContext) -> None:
        """Starts node groups, node pools and what scales them."""
        from wavetank.simulation.evictions import BudgetedEvictions  # few need it
        from wavetank.simulation.scaling.nodegroups import start_autoscaler, start_node_groups

        setting = self.setting
        evictions = BudgetedEvictions(context.store)
        if setting.node_groups:
            start_node_groups(context, controllers, setting.node_groups, evictions)
        if setting.autoscaler_flags is not None:
            start_autoscaler(context, replace(controllers, flags=setting.autoscaler_flags), evictions)
        if setting.provisioning is not None:
            from wavetank.simulation.scaling.nodepools import start_provisioning

            start_provisioning(context, controllers, setting.provisioning, evictions)

    def _operator(self) -> OperatorRun | None:
        if self.setting.operator is None:
            return None
        from wavetank.simulation.batchoperator import OperatorRun  # few runs need it

        return OperatorRun(self.setting.operator)

    def _metrics(self, context: ActorContext) -> ClusterMetrics:
        """Returns the metrics of the cluster; pods of services use the CPU that requests take."""
        if self.setting.services is None:
            return ClusterMetrics(context.store, self.setting.metrics)
        from wavetank.simulation.metrics.servicemetrics import ServiceMetrics  # few runs need it
        from wavetank.simulation.microservices import ServiceObserver

        services = next((each for each in self.observers if isinstance(each, ServiceObserver)), None)
        if services is None:
            return ClusterMetrics(context.store, self.setting.metrics)
        return ServiceMetrics(context.store, self.setting.metrics, services.services.cpu_milli)

    def _loop(self, context: ActorContext, stack: ExitStack, operator: OperatorRun | None) -> Loop | None:
        """Makes the loop of a run with programs, which is closed in any case."""
        if not self.setting.has_programs:
            return None
        from wavetank.simulation.programs import Loop  # few runs need it

        setting = self.setting
        local = {} if operator is None else {operator.url: operator}
        loop = Loop(
            context, setting.processes, self._takes_all, setting.manager, setting.metrics, local, setting.programs
        )
        stack.callback(loop.close)
        return loop

    @property
    def _takes_all(self) -> bool:
        """Tells whether there is only one scheduler, which then gets every pod."""
        return len(self.setting.schedulers) + len(self.setting.processes) == 1

    def _power_switch(self, context: ActorContext) -> PowerSwitch | None:
        """Makes the switch of nodes with a power model, and what saves power with it; None if there are none."""
        if not self.setting.has_power:
            return None
        from wavetank.nodes.power.saver import PowerSaver  # few runs need it
        from wavetank.nodes.power.switch import PowerSwitch

        switch = PowerSwitch(context)
        if self.setting.power_saving is not None:
            PowerSaver(context, self.setting.power_saving, switch)
        return switch

    def _scheduler_options(self, operator: OperatorRun | None) -> SchedulerOptions:
        setting = self.setting
        connect = connect_extender if operator is None else operator.connect
        return SchedulerOptions(setting.ties, setting.latency.scheduler, self._takes_all, self.explain, connect)

    def _informed(self, definition: Attachable) -> Attachable:
        """Gives a policy that asks for it the workload in advance."""
        if not isinstance(definition, SchedulerDefinition) or not definition.expects:
            return definition
        workload, seed = self.setting.workload, self.seed
        nodes = workload.node_order(self.setting.cluster.node_names, seed) if isinstance(workload, Inflated) else ()
        return replace(definition, forecast=Forecast(partial(known_pods, workload, seed), nodes))


def _run(clock: Clock, horizon: Nanoseconds | None, loop: Loop | None) -> Nanoseconds:
    """Runs to the end and returns its time: the horizon, or that of the last event."""
    clock.run(horizon)
    end = clock.now
    while loop is not None and horizon is None and loop.linger():
        clock.run()
        end = clock.now
    return end
