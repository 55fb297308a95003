"""Since when a pod is ready: in whole seconds, as a pod's conditions state it."""

from __future__ import annotations

from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.resource import parse_time
from wavetank.kernel.durations import SECOND, Nanoseconds


def running_since(pod: Pod) -> Nanoseconds | None:
    """Returns since when a pod of a run is ready: it is as soon as it runs; None if it does not."""
    if pod.phase != RUNNING:
        return None
    return whole_second(pod.created if pod.started is None else pod.started)


def whole_second(time: Nanoseconds) -> Nanoseconds:
    """Returns the second in which a time lies."""
    return time // SECOND * SECOND


def stated_ready_since(pod: Pod) -> Nanoseconds | None:
    """Returns since when a pod is ready by its own Ready condition, which a kubelet outside has written."""
    for condition in (pod.manifest.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") == "True":
            since = parse_time(condition.get("lastTransitionTime"), "lastTransitionTime")
            return whole_second(pod.created) if since is None else since
    return None
