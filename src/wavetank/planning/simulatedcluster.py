from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import PENDING, Pod
from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.releases import NEWEST, Version
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.descriptors import all_names, start_controllers
from wavetank.controllers.nodelifecycle.podgc import PodGarbageCollector
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.faults import CORDON, FAIL, UNCORDON, Fault, Faults
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.planning.podwatch import PodWatch
from wavetank.scheduling.attachable import Attachable, SchedulerOptions
from wavetank.simulation.controllers import object_kinds, run_context
from wavetank.simulation.creation.admission import Admission
from wavetank.simulation.creation.initialobjects import load_objects
from wavetank.simulation.creation.submitter import Submitter
from wavetank.simulation.evictions import BudgetedEvictions
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.latency.model import Latency
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.world import World
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Workload, object_arrivals

# Controllers that would change the cluster by themselves as time passes, or that nothing here reads.
_OFF = frozenset(
    {
        "cronjob-controller",
        "horizontal-pod-autoscaler-controller",
        "scaling-model-controller",
        "endpoints-controller",
        "endpointslice-controller",
        "ttl-after-finished-controller",
    }
)
_RETRY = 5 * SECOND  # after which kubectl drain asks again for an eviction that a budget has refused
_POLL = SECOND  # how often it looks whether evicted pods are gone
DRAIN_TIMEOUT = 3600 * SECOND


@dataclass(frozen=True)
class Blocked:
    """A pod that could not be evicted from a node, and why."""

    node: str
    pod: str
    reason: str


@dataclass(frozen=True)
class ClusterOptions:
    """How a cluster is simulated: its schedulers, latency model, Kubernetes release and seed."""

    schedulers: tuple[Attachable, ...]
    latency: Latency
    version: Version = NEWEST
    seed: int = 1
    controllers: frozenset[str] = field(default_factory=lambda: all_names() - _OFF)


class SimulatedCluster:
    """A cluster that goes on from a snapshot, with kubelets, controllers and schedulers.

    Time passes only when it is told to. Autoscalers and CronJobs are off. Running pods run on forever, unless they say
    how long.
    """

    def __init__(self, cluster: Cluster, options: ClusterOptions) -> None:
        world = self.world = World(options.version, options.seed)
        self.store, self.clock = world.store, world.clock
        self.watch = PodWatch()
        self.watch.join(world.context)
        kubelets = Kubelets(world.context, options.latency.nodes)
        self.admission = Admission(world.store)
        load_objects(cluster, self.admission)
        kubelets.loaded()
        controllers = run_context(world.context, self.admission, False, ClusterMetrics(world.store, None), {})
        start_controllers(controllers, options.controllers)
        PodGarbageCollector(controllers)
        self._faults = Faults(world.context, kubelets, ())
        self._evictions = BudgetedEvictions(world.store)
        self._kinds = object_kinds(options.controllers, options.schedulers)
        takes_all = len(options.schedulers) == 1
        world.attach(
            options.schedulers,
            SchedulerOptions("exact", options.latency.scheduler, takes_all, None, connect_extender),
        )

    @property
    def nodes(self) -> list[Node]:
        """Returns the nodes."""
        return list(self.store.list(NODE))

    def pods(self) -> Iterator[Pod]:
        """Yields the pods that have not ended."""
        return (pod for pod in self.store.list(POD) if not pod.finished)

    def settle(self) -> None:
        """Lets time pass until nothing changes any more."""
        self.clock.run()

    # changes

    def cordon(self, names: Sequence[str]) -> None:
        """Lets nodes take no more pods."""
        self._let_happen(CORDON, names)

    def uncordon(self, names: Sequence[str]) -> None:
        """Lets nodes take pods again."""
        self._let_happen(UNCORDON, names)

    def fail(self, names: Sequence[str]) -> None:
        """Stops machines: their pods are evicted when their tolerations are over."""
        self._let_happen(FAIL, names)

    def _let_happen(self, action: str, names: Sequence[str]) -> None:
        for name in names:
            self._faults.happen(Fault(self.clock.now, action, name))

    def drain(self, names: Sequence[str], timeout: Nanoseconds = DRAIN_TIMEOUT) -> list[Blocked]:
        """Drains nodes as kubectl does: cordons all, then evicts the pods of one after the other.

        Budgets are obeyed, evictions tried again. Pods of DaemonSets and static pods stay. Returns what could not be
        evicted in time, or never.
        """
        self.cordon(names)
        return [blocked for name in names for blocked in self._drain(name, self.clock.now + timeout)]

    def _drain(self, node: str, deadline: Nanoseconds) -> list[Blocked]:
        while pods := self._evictable(node):
            blocked = [refused for pod in pods if pod.deleted is None and (refused := self._evict(pod)) is not None]
            stuck = bool(blocked) and len(blocked) == len(pods) and not self.clock.foreground
            if stuck or self.clock.now >= deadline:
                return blocked
            self.clock.run(self.clock.now + (_RETRY if blocked else _POLL))
        return []

    def _evictable(self, node: str) -> list[Pod]:
        return [pod for pod in self.watch.pods_on(node) if not self.watch.lives[pod.uid].follows_node]

    def _evict(self, pod: Pod) -> Blocked | None:
        try:
            self._evictions.evict(pod, pod.spec.grace_s)
        except ApiError as error:
            return Blocked(pod.node_name, f"{pod.namespace}/{pod.name}", str(error))
        return None

    def remove(self, names: Sequence[str]) -> None:
        """Deletes nodes at once, as when their machines are gone; their pods are collected after a while."""
        for name in names:
            self.store.delete(self.store.get(NODE, "", name))

    def add(self, nodes: Sequence[Manifest]) -> None:
        """Adds nodes, which are ready at once."""
        for manifest in nodes:
            self.store.create(parse_resource(manifest, self.store.specs))

    def submit(self, workload: Workload) -> None:
        """Submits a workload from now on."""
        begin = self.clock.now
        context = self.world.context
        arrivals = object_arrivals(workload, self.store.specs, context.streams, self._kinds)
        moved = (arrival._replace(time=arrival.time + begin) for arrival in arrivals)
        Submitter(context, moved, self.admission.complete, self.admission.finish)

    def reschedule(self) -> None:
        """Takes all pods but those that follow their nodes off their nodes, to be scheduled again."""
        bound = [pod for pod in self.pods() if pod.node_name and not self.watch.lives[pod.uid].follows_node]
        for pod in bound:
            self.store.delete(pod)
        for pod in bound:
            self.store.create(unbound(pod))


def unbound(pod: Pod) -> Pod:
    """Returns a pod as it was before it was scheduled, without a uid."""
    new = pod.copy()
    new.node_name = new.nominated_node = new.unschedulable = new.reason = new.message = ""
    new.phase, new.started, new.deleted, new.uid, new.restarts = PENDING, None, None, "", 0
    spec = {key: value for key, value in (pod.manifest.get("spec") or {}).items() if key != "nodeName"}
    metadata = {key: value for key, value in (pod.manifest.get("metadata") or {}).items() if key != "uid"}
    new.manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return new
