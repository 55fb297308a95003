"""The flags of the cluster autoscaler that are honoured, for the reference page."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any, NamedTuple

from wavetank.controllers.clusterautoscaler.options import GroupOptions, Options, Range
from wavetank.kernel.durations import render_duration

_GIB = 1 << 30
_MEANINGS = {
    "scale-down-unneeded-time": "for how long a node must be unneeded before it is removed",
    "scale-down-unready-time": "for how long a node that is not ready must be unneeded",
    "scale-down-utilization-threshold": "a node is looked at only if no larger share of CPU and memory is requested",
    "max-node-provision-time": "how long a machine may take to become a node",
    "max-node-startup-time": "for how long a node that is not ready counts as starting",
    "ignore-daemonsets-utilization": "leave DaemonSet pods out of a node's utilization",
    "scan-interval": "from one loop to the next",
    "frequent-loops-enabled": "run a loop at once when a pod is unschedulable, and two more after a change",
    "expander": "how to choose among groups: a list of expanders, each for the ties of the one before",
    "scale-up-from-zero": "add nodes even if no node is ready",
    "enforce-node-group-min-size": "enlarge groups that are below their minimum",
    "max-nodes-total": "no more nodes in the whole cluster; 0: no limit",
    "cores-total": "least and most CPUs in the cluster, as `LEAST:MOST`",
    "memory-total": "least and most memory in the cluster in GiB, as `LEAST:MOST`",
    "max-nodes-per-scaleup": "no more nodes at a time",
    "balance-similar-node-groups": "divide new nodes among similar groups",
    "balancing-ignore-label": "labels that similar groups may differ in",
    "balancing-label": "groups are similar if these labels are equal, whatever else differs",
    "memory-difference-ratio": "how much the memory capacity of similar groups may differ",
    "max-free-difference-ratio": "how much the free resources of similar groups may differ",
    "max-allocatable-difference-ratio": "how much the allocatable resources of similar groups may differ",
    "new-pod-scale-up-delay": "pods of this age or younger are not helped",
    "expendable-pods-priority-cutoff": "pods of a lower priority are neither helped nor do they keep a node",
    "ok-total-unready-count": "so many unready nodes are fine in any case",
    "max-total-unready-percentage": "with a larger share of unready nodes the autoscaler does nothing",
    "initial-node-group-backoff-duration": "for how long a group does not grow after its first failure",
    "max-node-group-backoff-duration": "that time doubles with each failure, up to this",
    "node-group-backoff-reset-timeout": "after so long without a failure of a group its failures are forgotten",
    "scale-down-enabled": "remove nodes at all",
    "scale-down-unready-enabled": "remove nodes that are not ready",
    "scale-down-delay-after-add": "no removals for so long after nodes were added",
    "scale-down-delay-after-delete": "no further removals for so long after a removal",
    "scale-down-delay-after-failure": "no removals for so long after one failed",
    "scale-down-delay-type-local": "the delays after additions, removals and failures hold for single groups",
    "unremovable-node-recheck-timeout": "for how long a node whose pods fit nowhere else is not looked at again",
    "max-scale-down-parallelism": "so many nodes are removed at a time",
    "max-drain-parallelism": "so many nodes with pods are removed at a time",
    "max-bulk-soft-taint-count": "so many unneeded nodes are tainted in a loop; 0: none",
    "node-delete-delay-after-taint": "from the taint to the eviction of pods",
    "max-graceful-termination-sec": "the longest grace period of evicted pods, in seconds",
    "max-pod-eviction-time": "for how long refused evictions are tried again",
    "daemonset-eviction-for-empty-nodes": "evict DaemonSet pods of empty nodes",
    "daemonset-eviction-for-occupied-nodes": "evict DaemonSet pods of drained nodes",
    "cordon-node-before-terminating": "cordon nodes that are removed",
    "skip-nodes-with-system-pods": "pods in kube-system without a disruption budget keep their node",
    "skip-nodes-with-local-storage": "pods with emptyDir or hostPath volumes keep their node",
    "skip-nodes-with-custom-controller-pods": "pods of unknown controllers keep their node",
    "min-replica-count": "pods of controllers with fewer replicas keep their node",
    "blocking-system-pod-distruption-timeout": "for how long new pods in kube-system keep their node",
    "namespace": "of the status and of the priority expander's list",
    "status-config-map-name": "where the status is written",
    "write-status-configmap": "write the status at all",
}


class HonouredFlag(NamedTuple):
    """A flag with its default, as it would be stated, and what it means; some can be overridden by a group."""

    name: str
    default: str
    meaning: str
    of_group: bool


def honoured_flags() -> list[HonouredFlag]:
    """Returns the flags that are honoured, sorted by name."""
    owners = (Options, GroupOptions)
    return sorted(
        _flag(each, owner is GroupOptions) for owner in owners for each in fields(owner) if each.name != "group"
    )


def _flag(each: Field[Any], of_group: bool) -> HonouredFlag:
    name = each.name.replace("_", "-")
    return HonouredFlag(name, _state(name, each.type, each.default), _MEANINGS[name], of_group)


def _state(name: str, type_: object, default: Any) -> str:
    if type_ == "Nanoseconds":
        return render_duration(default)
    if isinstance(default, Range):
        unit = _GIB if name == "memory-total" else 1
        return f"{default.least // unit}:{default.most // unit}"
    return ",".join(default) if isinstance(default, tuple) else str(default).lower()
