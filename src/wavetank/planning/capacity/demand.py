"""What has to be placed, and how it is tried on given nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from wavetank.cluster.fields.resources import PODS, Amounts
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.descriptors import start_controllers
from wavetank.kernel.clock import Clock
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.planning.capacity.headroom import NO_HEADROOM, Headroom
from wavetank.planning.simulatedcluster import ClusterOptions, SimulatedCluster, unbound
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.simulation.controllers import run_context
from wavetank.simulation.creation.admission import Admission
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.world import World
from wavetank.snapshots.snapshot import Snapshot
from wavetank.workloads.manifests.nodes import zone_of

# Controllers that give each node its daemon pods, and pods their volumes and devices.
_CONTROLLERS = frozenset(
    {
        "daemonset-controller",
        "persistentvolume-binder-controller",
        "ephemeral-volume-controller",
        "resourceclaim-controller",
    }
)


@dataclass(frozen=True)
class Trial:
    """The pods that were left without a node, as namespace/name with the reason; `why` says what else failed."""

    pending: dict[str, str]
    why: str = ""

    @property
    def fits(self) -> bool:
        """Tells whether nothing is pending."""
        return not self.pending and not self.why


class Demand(Protocol):
    """Something that nodes are needed for."""

    @property
    def requests(self) -> Amounts:
        """Returns what is requested at least at one time, for a first guess; daemon pods are not part of it."""

    def try_on(self, nodes: Sequence[Manifest], options: ClusterOptions, headroom: Headroom = NO_HEADROOM) -> Trial:
        """Places everything on these nodes and returns what is left."""


class SnapshotDemand:
    """The pods of a snapshot, placed from scratch; pods of DaemonSets come to each node by themselves.

    Static pods are not part of it.
    """

    def __init__(self, snapshot: Snapshot, options: ClusterOptions) -> None:
        cluster = SimulatedCluster(snapshot.cluster, options)
        cluster.settle()
        self.nodes = cluster.nodes
        self.zones = sorted({zone_of(node) for node in self.nodes} - {""})
        self._specs = cluster.store.specs
        lives = cluster.watch.lives
        self.pods = [unbound(pod) for pod in cluster.pods() if not lives[pod.uid].follows_node]
        self.static_pods = sum(life.owner is not None and life.owner[0] == "Node" for life in lives.values())
        kinds = [kind for kind in cluster.store.group_kinds() if kind not in (NODE, POD)]
        self._others = [each for kind in kinds for each in cluster.store.list(kind)]

    @cached_property
    def requests(self) -> Amounts:
        """Returns what all pods request together."""
        total: dict[str, int] = {PODS: len(self.pods)}
        for pod in self.pods:
            for name, amount in pod.spec.requests.items():
                total[name] = total.get(name, 0) + amount
        return total

    def try_on(self, nodes: Sequence[Manifest], options: ClusterOptions, headroom: Headroom = NO_HEADROOM) -> Trial:
        """Places all pods, then lets nodes fail as the headroom says, each time from a new beginning."""
        for failure in headroom.failures(nodes):
            world = self._placed(nodes, options)
            pending = _pending(world.store)
            if pending or failure is None:
                return Trial(pending)
            failure.happen(world)
            pending = _pending(world.store)
            if pending:
                return Trial(pending, f"after {failure.text}")
        return Trial({})

    def _placed(self, nodes: Sequence[Manifest], options: ClusterOptions) -> World:
        store = Store(Clock())
        store.specs = self._specs  # compiled once for all trials
        world = World(options.version, options.seed, store)
        Kubelets(world.context)
        admission = Admission(store)
        for manifest in nodes:
            store.create(parse_resource(manifest, store.specs))
        for other in self._others:
            store.create(_new(other))
        controllers = run_context(world.context, admission, False, ClusterMetrics(store, None), {})
        start_controllers(controllers, _CONTROLLERS)
        takes_all = len(options.schedulers) == 1
        world.attach(options.schedulers, SchedulerOptions("exact", None, takes_all, None, connect_extender))
        world.run(0)  # daemon pods come before the others
        for pod in self.pods:
            store.create(pod.copy())
        world.run()
        return world


def _new(resource: Resource) -> Resource:
    copied = resource.copy()
    copied.resource_version = 0
    return copied


def _pending(store: Store) -> dict[str, str]:
    pods: list[Pod] = [pod for pod in store.list(POD) if not pod.node_name and not pod.finished]
    return {f"{pod.namespace}/{pod.name}": pod.unschedulable or "not tried" for pod in pods}
