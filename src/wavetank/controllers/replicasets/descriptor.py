from __future__ import annotations

from wavetank.cluster.objects.groupkinds import REPLICA_SET
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_replica_sets(context: ControllerContext) -> None:
    from wavetank.controllers.replicasets.replicasets import ReplicaSets

    ReplicaSets(context)


REPLICA_SET_CONTROLLER = ControllerDescriptor(
    "replicaset-controller", _start_replica_sets, kinds=(REPLICA_SET,), aliases=("replicaset",)
)
