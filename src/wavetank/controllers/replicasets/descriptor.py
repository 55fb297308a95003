from __future__ import annotations

from wavetank.cluster.objects.groupkinds import REPLICA_SET, REPLICATION_CONTROLLER
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_replica_sets(context: ControllerContext) -> None:
    from wavetank.controllers.replicasets.replicasets import ReplicaSets

    ReplicaSets(context)


def _start_replication_controllers(context: ControllerContext) -> None:
    from wavetank.controllers.replicasets.replicasets import REPLICATION_CONTROLLERS, ReplicaSets

    ReplicaSets(context, REPLICATION_CONTROLLERS)


REPLICA_SET_CONTROLLER = ControllerDescriptor(
    "replicaset-controller", _start_replica_sets, kinds=(REPLICA_SET,), aliases=("replicaset",)
)
REPLICATION_CONTROLLER_CONTROLLER = ControllerDescriptor(
    "replicationcontroller-controller",
    _start_replication_controllers,
    kinds=(REPLICATION_CONTROLLER,),
    aliases=("replicationcontroller",),
)
