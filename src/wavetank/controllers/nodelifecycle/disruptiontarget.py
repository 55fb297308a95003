"""Deleting pods with the condition DisruptionTarget."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.pod import FAILED, Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.context import ControllerContext

_TARGET = "DisruptionTarget"


def disrupt(
    context: ControllerContext, pod: Pod, reason: str, message: str, *, grace_s: int | None = None, fail: bool = False
) -> None:
    """Adds the condition DisruptionTarget to a pod, marks it as failed if `fail`, and deletes it."""
    present = context.store.find(Pod.group_kind, *pod.key)
    if not isinstance(present, Pod) or present.uid != pod.uid:
        return
    try:
        context.client.delete(_marked(context, present, reason, message, fail), grace_s)
    except ApiError as error:
        if error.code != 404:
            raise


def _marked(context: ControllerContext, pod: Pod, reason: str, message: str, fail: bool) -> Pod:
    status: dict[str, Any] = dict(pod.render().get("status") or {})
    old = [each for each in status.get("conditions") or () if each.get("type") != _TARGET]
    condition = {"type": _TARGET, "status": "True", "lastProbeTime": None}
    condition |= {"lastTransitionTime": render_time(context.clock.now), "reason": reason, "message": message}
    status["conditions"] = [*old, condition]
    if fail and not pod.finished:
        status["phase"] = FAILED
    marked = context.client.update_status(pod, status)
    assert isinstance(marked, Pod)
    return marked
