from __future__ import annotations

from wavetank.cluster.objects.groupkinds import MACHINE, NODE_CLAIM
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor


def _start_node_taints(context: ControllerContext) -> None:
    from wavetank.controllers.nodelifecycle.nodetaints import NodeTaints

    NodeTaints(context)


def _start_taint_eviction(context: ControllerContext) -> None:
    from wavetank.controllers.nodelifecycle.tainteviction import TaintEviction

    TaintEviction(context)


def _start_pod_collector(context: ControllerContext) -> None:
    from wavetank.controllers.nodelifecycle.podgc import PodGarbageCollector

    PodGarbageCollector(context)


def _start_node_ttl(context: ControllerContext) -> None:
    from wavetank.controllers.nodelifecycle.ttl import NodeTTL

    NodeTTL(context)


NODE_LIFECYCLE_CONTROLLER = ControllerDescriptor(
    "node-lifecycle-controller", _start_node_taints, aliases=("nodelifecycle",), served_from_start=True
)
TAINT_EVICTION_CONTROLLER = ControllerDescriptor(
    "taint-eviction-controller", _start_taint_eviction, served_from_start=True
)
POD_GARBAGE_COLLECTOR = ControllerDescriptor(
    "pod-garbage-collector-controller",
    _start_pod_collector,
    kinds=(MACHINE, NODE_CLAIM),  # with which nodes go; a run starts it if a pod's node is missing, too
    aliases=("podgc",),
    served_from_start=True,
)
TTL_CONTROLLER = ControllerDescriptor("ttl-controller", _start_node_ttl, aliases=("ttl",), served_from_start=True)
