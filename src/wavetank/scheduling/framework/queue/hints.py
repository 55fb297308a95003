"""Which events wake unschedulable pods: with the plugins' hints from 1.32 on, without them before."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.releases import Version
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always

Hints = dict[str, Mapping[ClusterEvent, Hint]]  # by plugin

# A change of the pod itself, which always woke it, except for a change of nothing but its status.
_OWN_CHANGES = frozenset(
    {
        ClusterEvent.POD_TOLERATION,
        ClusterEvent.POD_GATES,
        ClusterEvent.POD_LABEL,
        ClusterEvent.POD_OTHER,
        ClusterEvent.POD_SCALE_DOWN,
    }
)
# Assigned pods wake only the pods with an affinity term for them, as InterPodAffinity's hint does.
_ASSIGNED = frozenset({ClusterEvent.ASSIGNED_POD_ADD, ClusterEvent.ASSIGNED_POD_LABEL})
# New and changed nodes were tried with the pod's requests, affinity, ports and tolerations before it was woken: what
# the hints of these plugins do.
_NODES = frozenset(
    {
        ClusterEvent.NODE_ADD,
        ClusterEvent.NODE_ALLOCATABLE,
        ClusterEvent.NODE_LABEL,
        ClusterEvent.NODE_TAINT,
    }
)
# What woke every pod, whichever plugin had rejected it.
_WAKES_ALL = _NODES | {
    ClusterEvent.ASSIGNED_POD_DELETE,
    ClusterEvent.CLAIM_ADD,
    ClusterEvent.CLAIM_UPDATE,
    ClusterEvent.VOLUME_ADD,
    ClusterEvent.VOLUME_UPDATE,
    ClusterEvent.STORAGE_CLASS_ADD,
    ClusterEvent.CSI_NODE_ADD,
    ClusterEvent.CSI_NODE_UPDATE,
}


def hints_of_release(hints: Hints, version: Version) -> Hints:
    """Returns the hints that a release goes by, given those of the plugins.

    From 1.22 to 1.31 a plugin registers for events but has no say in which pods they help. Up to 1.21 most events
    wake every pod.
    """
    if version >= (1, 32):
        return hints
    return {plugin: _without(plugin, events, version) for plugin, events in hints.items()}


def _without(plugin: str, events: Mapping[ClusterEvent, Hint], version: Version) -> Mapping[ClusterEvent, Hint]:
    woken_by: dict[ClusterEvent, Hint] = dict.fromkeys(_OWN_CHANGES, always)
    woken_by[ClusterEvent.POD_OTHER] = _not_only_status
    for event, hint in events.items():
        if event in _ASSIGNED:
            if plugin == "InterPodAffinity":
                woken_by[event] = hint
        elif event not in _OWN_CHANGES:
            woken_by[event] = hint if event in _NODES else always
    if version < (1, 22):
        woken_by |= dict.fromkeys(_WAKES_ALL, always)
        woken_by.pop(ClusterEvent.NODE_DELETE, None)
    return woken_by


def _not_only_status(waiting: Pod, old: Pod, new: Pod) -> bool:
    return old.spec is not new.spec or _metadata(old) != _metadata(new)


def _metadata(pod: Pod) -> tuple[object, ...]:
    metadata = pod.manifest.get("metadata") or {}
    return metadata.get("annotations"), metadata.get("ownerReferences"), pod.priority, pod.labels
