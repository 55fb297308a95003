"""Node groups of a run: the controllers of their machines, and the autoscaler that changes their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION, POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.resource import render_time
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

_EVICTED = "Evicted"  # the reason in the status of an evicted pod, as results count it
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


class BudgetedEvictions:
    """Evicts pods as far as the status of their disruption budgets allows it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def evict(self, pod: Pod, grace_s: int) -> None:
        """Evicts a pod; ApiError if a budget does not allow it, or if there are two. What is left of it is noted."""
        budgets = [] if pod.phase != RUNNING or pod.deleted is not None else self._covering(pod)
        if len(budgets) > 1:
            raise ApiError(_SEVERAL)
        for budget in budgets:
            if budget.disruptions_allowed < 1:
                raise ApiError("Cannot evict pod as it would violate the pod's disruption budget.")
            self._take(budget, pod)
        self._store.evict(pod, _EVICTED, grace_s)

    def _covering(self, pod: Pod) -> list[PodDisruptionBudget]:
        budgets: Iterable[PodDisruptionBudget] = self._store.list(POD_DISRUPTION_BUDGET)
        return [each for each in budgets if each.namespace == pod.namespace and each.selector.matches(pod.labels)]

    def _take(self, budget: PodDisruptionBudget, pod: Pod) -> None:
        """Writes into a budget that one more pod is being disrupted: others may ask before its controller does it."""
        new = budget.copy()
        new.disruptions_allowed -= 1
        new.disrupted |= {pod.name}
        status = budget.manifest.get("status") or {}
        noted = {**(status.get("disruptedPods") or {}), pod.name: render_time(self._store.clock.now)}
        status = {**status, "disruptionsAllowed": new.disruptions_allowed, "disruptedPods": noted}
        new.manifest = {**budget.manifest, "status": status}
        self._store.update(new)


def start_node_groups(
    context: ActorContext, controllers: ControllerContext, groups: Sequence[ScalableGroup], evictions: Evictions
) -> None:
    """Creates node groups and starts the controllers of their machines; the first nodes are there at once."""
    for manifest in (*not_defined(context.store, definitions()), *(group.manifest() for group in groups)):
        controllers.client.create(manifest)
    cloud = DrawnMachines(context, {group.name: group for group in groups})
    MachineDeployments(controllers)
    MachineSets(controllers)
    Machines(controllers, cloud)
    Interruptions(controllers, cloud, evictions)


def not_defined(store: Store, definitions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the definitions of kinds that an API does not serve yet."""
    return [
        each for each in definitions if store.find(CUSTOM_RESOURCE_DEFINITION, "", each["metadata"]["name"]) is None
    ]


def start_autoscaler(context: ActorContext, controllers: ControllerContext, evictions: Evictions) -> None:
    """Starts the cluster autoscaler; its flags are those of the controllers' context."""
    cutoff = Options.from_flags(controllers.flags).expendable_pods_priority_cutoff
    streams = context.streams
    snapshot = SchedulerSnapshot(context, cutoff, streams.stream("autoscaler/snapshot"))
    order = RandomOrder(streams.stream("autoscaler/order"))
    ClusterAutoscaler(controllers, snapshot, evictions, order)
