"""Node groups of a run: the controllers of their machines, and the autoscaler that changes their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION
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
from wavetank.simulation.scaling.clustersnapshot import SchedulerSnapshot
from wavetank.simulation.scaling.drawnmachines import DrawnMachines
from wavetank.simulation.scaling.scalablegroup import ScalableGroup


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
