"""Node groups of a run: the controllers of their machines, and the autoscaler that changes their sizes."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.kinds import PodDisruptionBudget, parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.autoscaler import ClusterAutoscaler
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import RandomOrder
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.evictions import Evictions
from wavetank.controllers.machines.definitions import definitions
from wavetank.controllers.machines.interruptions import Interruptions
from wavetank.controllers.machines.machines import Machines
from wavetank.controllers.machines.machinesets import MachineDeployments, MachineSets
from wavetank.simulation.clustersnapshot import SchedulerSnapshot
from wavetank.simulation.drawnmachines import DrawnMachines
from wavetank.simulation.scalablegroup import ScalableGroup


class BudgetedEvictions:
    """Evicts pods as far as the status of their disruption budgets allows it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def evict(self, pod: Pod, grace_s: int) -> None:
        """Evicts a pod; ApiError if a budget does not allow it."""
        for budget in self._store.list(POD_DISRUPTION_BUDGET):
            assert isinstance(budget, PodDisruptionBudget)
            covers = budget.namespace == pod.namespace and budget.selector.matches(pod.labels)
            if covers and budget.disruptions_allowed < 1:
                raise ApiError("Cannot evict pod as it would violate the pod's disruption budget.")
        self._store.evict(pod, "", grace_s)


def start_node_groups(
    context: ActorContext, controllers: ControllerContext, groups: Sequence[ScalableGroup], evictions: Evictions
) -> None:
    """Creates node groups and starts the controllers of their machines; the first nodes are there at once."""
    for manifest in (*definitions(), *(group.manifest() for group in groups)):
        context.store.create(parse_resource(manifest, context.store.specs))
    cloud = DrawnMachines(context, {group.name: group for group in groups})
    MachineDeployments(controllers)
    MachineSets(controllers)
    Machines(controllers, cloud)
    Interruptions(controllers, cloud, evictions)


def start_autoscaler(context: ActorContext, controllers: ControllerContext, evictions: Evictions) -> None:
    """Starts the cluster autoscaler; its flags are those of the controllers' context."""
    cutoff = Options.from_flags(controllers.flags).expendable_pods_priority_cutoff
    streams = context.streams
    snapshot = SchedulerSnapshot(context, cutoff, streams.stream("autoscaler/snapshot"))
    order = RandomOrder(streams.stream("autoscaler/order"))
    ClusterAutoscaler(controllers, snapshot, evictions, order)
