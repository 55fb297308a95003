from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from wavetank.apiserver.admission.chain import DEFAULT_PLUGINS
from wavetank.apiserver.api import Api
from wavetank.apiserver.conversion.versions import serve_retired
from wavetank.apiserver.requests.request import User
from wavetank.apiserver.verbs.objects import complete_nothing
from wavetank.apiserver.verbs.weights import run_large_beside
from wavetank.apiserver.waiting import HEAVIEST, run_beside
from wavetank.apiserver.webhooks.calls import WebhookClient
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.resource import EPOCH_SECONDS, Manifest, Resource
from wavetank.cluster.releases import SERVED, Version
from wavetank.cluster.rules.readiness import stated_ready_since
from wavetank.controllers.descriptors import start_controllers
from wavetank.controllers.framework.certificates import CertificateSigner
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.metricsclient import NoMetrics
from wavetank.kernel.clock import Clock
from wavetank.kernel.distributions import INSTANT, Constant
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.kubelet.containerkubelets import ContainerKubelets
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.nodes.reports.conditionrestorer import ConditionRestorer
from wavetank.nodes.reports.crashloops import CrashLoopReporter
from wavetank.nodes.reports.kubeletreports import KubeletReports
from wavetank.nodes.reports.leases import Leases
from wavetank.scheduling.attachable import Attachable, SchedulerOptions
from wavetank.simulation.creation.loading import load_cluster
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.latency.model import IDEAL, Latency
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.metrics.setting import MetricsSetting
from wavetank.simulation.observer import Observer
from wavetank.simulation.scaling.nodegroups import start_autoscaler, start_node_groups
from wavetank.simulation.scaling.scalablegroup import ScalableGroup
from wavetank.simulation.served.certificates import ServedCertificates
from wavetank.simulation.served.compaction import Compaction
from wavetank.simulation.served.containerevents import ContainerEvents
from wavetank.simulation.served.eventexpiry import EventExpiry
from wavetank.simulation.served.eventlog import EventLog
from wavetank.simulation.served.evictions import ApiEvictions
from wavetank.simulation.served.podbehavior import give_behavior, set_behavior
from wavetank.simulation.served.podevents import PodEvents
from wavetank.simulation.served.podplans import PodPlanner
from wavetank.simulation.served.queuedpods import QueuedPodGate
from wavetank.simulation.served.specpruning import SpecPruner
from wavetank.simulation.served.state.journal import JournaledHistory
from wavetank.simulation.served.state.restoring import actors_of, restore_objects, resume_nodes, resume_volumes
from wavetank.simulation.served.state.statefolder import StateFolder
from wavetank.simulation.served.store import ServedStore
from wavetank.simulation.served.volumes import Volumes
from wavetank.simulation.world import API_HISTORY, World
from wavetank.workloads.cluster import Cluster

if TYPE_CHECKING:
    from wavetank.simulation.scaling.nodepools import Provisioning

_AUTOSCALER = User("system:serviceaccount:kube-system:cluster-autoscaler", ("system:authenticated",))
_PROVISIONER = User("system:serviceaccount:kube-system:karpenter", ("system:authenticated",))
_MANAGER = User("system:kube-controller-manager", ("system:authenticated",))

# How long an attempt takes, in seconds, if the latency model says nothing. With any time at all thousands of attempts
# are not made at one instant while clients wait.
_ATTEMPT = Constant(0.000_1)


@dataclass(frozen=True)
class ServedSetting:
    """What a served cluster begins with and which actors it has; by default none."""

    cluster: Cluster | None = None
    schedulers: tuple[Attachable, ...] = ()
    kubelets: bool = False
    controllers: frozenset[str] = frozenset()  # by kube-controller-manager's names
    latency: Latency = IDEAL
    version: Version = SERVED.version  # of the schedulers; the API is always that of SERVED
    plugins: Collection[str] = DEFAULT_PLUGINS  # of admission
    rbac: bool = False  # authorize requests by roles
    metrics: bool = True  # serve the metrics APIs, if there are kubelets or a setting
    measured: MetricsSetting | None = None  # what they serve; None: pods use what they request
    flags: Mapping[str, str] = field(default_factory=dict)  # of kube-controller-manager, by name without dashes
    features: frozenset[str] = frozenset()  # enabled feature gates of the API server
    node_groups: tuple[ScalableGroup, ...] | None = None  # None: Cluster API's kinds are not served
    autoscaler_flags: Mapping[str, object] | None = None  # cluster-autoscaler's; None: there is none
    provisioning: Provisioning | None = None  # node pools, as Karpenter's
    own_pods_only: bool = False  # a single scheduler leaves pods with another schedulerName alone
    webhooks: WebhookClient | None = None  # calls webhooks; None: none can be reached
    authority: CertificateSigner | None = None  # that clients trust and that signs certificates; None: there is none
    seed: int = 1
    start: Nanoseconds | None = None  # of its clock; None: now


class ServedCluster:
    """A cluster for clients outside: the API and the actors of a run, without a workload and without an end.

    Its clock starts at the present time unless the setting says otherwise, so that clients may compare times with
    their own clock. Finished pods stay until they are deleted. `authenticate` returns the user of a token. `prepare` is
    called with the API and the context of the built-in controllers before they start, and may replace parts of it.
    `observers` join before the nodes, as in a run. With `state` the cluster is the one that is kept in that folder, if
    there is one, and its writes are journaled there; then the setting's own cluster is not created again.
    """

    def __init__(
        self,
        setting: ServedSetting,
        authenticate: Callable[[str], User | None],
        prepare: Callable[[Api, ControllerContext], None] | None = None,
        observers: Sequence[Observer] = (),
        state: StateFolder | None = None,
    ) -> None:
        kept = None if state is None else state.kept
        self.world = world = World(setting.version, setting.seed, _store(setting, state))
        self.clock, self.store, context = world.clock, world.store, world.context
        store = world.store
        if kept is not None:
            restore_objects(store, kept)
        self.setting = setting
        self.kubelets: Kubelets | None = None
        reports = KubeletReports(context, SERVED.tag) if setting.kubelets else None
        volumes: Volumes | None = None
        log = EventLog(store)
        if reports is not None:
            store.subscribe(POD, added=set_behavior)
        for observer in observers:
            observer.join(context)
        if reports is not None:
            crashes = CrashLoopReporter(context, reports)
            ConditionRestorer(context, reports)
            record = ContainerEvents(log).record
            planner = PodPlanner(store, lambda pod: reports.render(pod)["status"])
            self.kubelets = ContainerKubelets(context, planner, reports, record, setting.latency.nodes)
            volumes = planner.volumes
            if kept is not None:
                resume_volumes(kept, store, volumes)
                resume_nodes(kept, store, reports, crashes, self.kubelets)
        ready_since = stated_ready_since if reports is None else reports.ready_since
        measured = setting.metrics and (setting.kubelets or setting.measured is not None)
        metrics = ClusterMetrics(store, setting.measured, ready_since) if measured else None
        self.api = Api(
            store,
            reports,
            authenticate=authenticate,
            plugins=setting.plugins,
            rbac=setting.rbac,
            measures=metrics,
            metrics=metrics,
            features=setting.features,
            webhooks=setting.webhooks,
            more_plugins=[QueuedPodGate(store)] if "kueue" in setting.controllers else (),
            complete=complete_nothing if reports is None else give_behavior,
            seed=store.version,  # of generated names: not those that it began with
        )
        serve_retired(self.api.kinds, setting.version)
        if setting.cluster is not None and kept is None:
            if "kueue" in setting.controllers and setting.cluster.has_kind("ClusterQueue"):
                self._define_queues(setting.cluster)
            load_cluster(setting.cluster, store, self.api.kinds)
        if self.kubelets is not None:
            self.kubelets.loaded()
            Leases(context)
        Compaction(context)
        EventExpiry(store)
        SpecPruner(store)
        if setting.schedulers or setting.kubelets:
            told = {} if reports is None else {"told": reports.has_report}
            PodEvents(store, log, bool(setting.schedulers), setting.kubelets, **told)
        controllers = ControllerContext(
            store,
            self.api.actor(_MANAGER),
            ready_since,
            log.tell,
            Resource.render if reports is None else reports.render,
            self._serves,
            "" if setting.authority is None else setting.authority.certificate.decode(),
            None if setting.authority is None else ServedCertificates(setting.authority, self.api),
            metrics=metrics or NoMetrics(),
            policy_warnings=self.api.policy_warnings,
            flags=setting.flags,
            beside=run_large_beside,
        )
        if prepare is not None:
            prepare(self.api, controllers)
        start_controllers(controllers, setting.controllers, served=True)
        self._start_node_groups(setting, controllers)
        world.attach(setting.schedulers, _scheduler_options(setting))
        for observer in observers:
            observer.attached(world.schedulers)
        if state is not None:
            state.journal.follow(store, actors_of(reports, self.kubelets, volumes))

    def _define_queues(self, cluster: Cluster) -> None:
        """Serves Kueue's kinds, as far as the cluster does not define them itself."""
        from wavetank.controllers.kueue.definitions import definitions  # few clusters need it

        self._define(definitions(), cluster)

    def _define(self, definitions: Iterable[Manifest], cluster: Cluster | None) -> None:
        """Serves custom kinds, as far as the cluster does not define them itself."""
        manifests = () if cluster is None else cluster.manifests
        given = {each["metadata"]["name"] for each in manifests if each["kind"] == "CustomResourceDefinition"}
        for each in definitions:
            if each["metadata"]["name"] not in given:
                self.api.actor(_MANAGER).create(each)

    def _start_node_groups(self, setting: ServedSetting, controllers: ControllerContext) -> None:
        """Starts the controllers of machines, and the cluster autoscaler and the provisioner if there are."""
        evictions = ApiEvictions(self.api, _AUTOSCALER)
        if setting.node_groups is not None:
            start_node_groups(self.world.context, controllers, setting.node_groups, evictions)
        if setting.autoscaler_flags is not None:
            client = self.api.actor(_AUTOSCALER)
            flags = setting.autoscaler_flags
            start_autoscaler(self.world.context, replace(controllers, client=client, flags=flags), evictions)
        if setting.provisioning is not None:
            from wavetank.controllers.karpenter.definitions import definitions  # few clusters need them
            from wavetank.simulation.scaling.nodepools import start_provisioning

            self._define(definitions(), setting.cluster)
            own = replace(controllers, client=self.api.actor(_PROVISIONER))
            start_provisioning(self.world.context, own, setting.provisioning, ApiEvictions(self.api, _PROVISIONER))

    def _serves(self, api_version: str, kind: str) -> bool:
        return self.api.kinds.named(api_version, kind) is not None


def _store(setting: ServedSetting, state: StateFolder | None) -> ServedStore:
    """Returns an empty store, at the time at which the cluster begins or goes on."""
    start = time.time_ns() - EPOCH_SECONDS * SECOND if setting.start is None else setting.start
    if state is None:
        return ServedStore(Clock(start), API_HISTORY)
    clock = Clock(start if state.kept is None else state.kept.now)
    return ServedStore(clock, JournaledHistory(API_HISTORY, state.journal))


def _scheduler_options(setting: ServedSetting) -> SchedulerOptions:
    latency = setting.latency.scheduler
    if latency.attempt == INSTANT:
        latency = replace(latency, attempt=_ATTEMPT)
    takes_all = len(setting.schedulers) == 1 and not setting.own_pods_only
    beside = partial(run_beside, weight=HEAVIEST)
    return SchedulerOptions(latency=latency, takes_all=takes_all, connect=connect_extender, beside=beside)
