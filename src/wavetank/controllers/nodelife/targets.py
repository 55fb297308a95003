"""Pods that a controller takes off their node: they are told why, then they are deleted."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.pod import FAILED, Pod
from wavetank.cluster.resource import render_time
from wavetank.cluster.status import ApiError
from wavetank.controllers.frame.office import Office

_TARGET = "DisruptionTarget"


def disrupt(
    office: Office, pod: Pod, reason: str, message: str, *, grace_s: int | None = None, fail: bool = False
) -> None:
    """Marks a pod as the target of a disruption, and as failed if nobody else will, and deletes it."""
    present = office.store.find(Pod.table, *pod.key)
    if not isinstance(present, Pod) or present.uid != pod.uid:
        return
    try:
        office.client.delete(_marked(office, present, reason, message, fail), grace_s)
    except ApiError as error:
        if error.code != 404:
            raise


def _marked(office: Office, pod: Pod, reason: str, message: str, fail: bool) -> Pod:
    status: dict[str, Any] = dict(pod.render().get("status") or {})
    old = [each for each in status.get("conditions") or () if each.get("type") != _TARGET]
    told = {"type": _TARGET, "status": "True", "lastProbeTime": None}
    told |= {"lastTransitionTime": render_time(office.clock.now), "reason": reason, "message": message}
    status["conditions"] = [*old, told]
    if fail and not pod.finished:
        status["phase"] = FAILED
    marked = office.client.update_status(pod, status)
    assert isinstance(marked, Pod)
    return marked
