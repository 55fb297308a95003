"""Small questions about pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wavetank.cluster.objects.pod import Pod

MIRROR = "kubernetes.io/config.mirror"


def controller_of(pod: Pod) -> Mapping[str, Any] | None:
    """Returns the owner reference of a pod's controller, or None."""
    owners: Iterable[Mapping[str, Any]] = (pod.manifest.get("metadata") or {}).get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)


def is_daemon_set_pod(pod: Pod) -> bool:
    """Returns whether a pod belongs to a DaemonSet."""
    controller = controller_of(pod)
    return controller is not None and controller.get("kind") == "DaemonSet"


def is_mirror_pod(pod: Pod) -> bool:
    """Returns whether a pod mirrors a static pod of its kubelet."""
    return MIRROR in pod.annotations


def is_recreatable(pod: Pod) -> bool:
    """Returns whether a controller may create the pod again on another node."""
    return not is_daemon_set_pod(pod) and not is_mirror_pod(pod)


def unbound(pod: Pod) -> Pod:
    """Returns a pod as if it had no node yet."""
    if not pod.node_name:
        return pod
    free = pod.copy()
    free.node_name = ""
    return free


def are_equivalent(one: Pod, other: Pod) -> bool:
    """Returns whether two pods of one controller are alike for scheduling: equal labels and specs."""
    return (one.spec is other.spec or one.spec.manifest == other.spec.manifest) and one.labels == other.labels
