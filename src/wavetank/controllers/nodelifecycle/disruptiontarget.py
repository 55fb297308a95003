"""Deleting pods that are no longer wanted on their nodes, with the condition DisruptionTarget."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.pod import FAILED, Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.context import ControllerContext

_TARGET = "DisruptionTarget"


def disrupt(context: ControllerContext, pod: Pod, reason: str, message: str) -> None:
    """Adds the condition DisruptionTarget to a pod and deletes it with its grace period."""
    present = _present(context, pod)
    if present is not None:
        _delete(context, _marked(context, present, reason, message), None)


def fail_and_delete(context: ControllerContext, pod: Pod, reason: str = "", message: str = "") -> None:
    """Marks a pod as failed unless it has ended, and deletes it at once.

    With a reason a pod that is marked gets the condition DisruptionTarget, too.
    """
    present = _present(context, pod)
    if present is not None:
        failed = present if present.finished else _marked(context, present, reason, message, fail=True)
        _delete(context, failed, 0)


def _present(context: ControllerContext, pod: Pod) -> Pod | None:
    found = context.store.find(Pod.group_kind, *pod.key)
    return found if isinstance(found, Pod) and found.uid == pod.uid else None


def _delete(context: ControllerContext, pod: Pod, grace_s: int | None) -> None:
    try:
        context.client.delete(pod, grace_s)
    except ApiError as error:
        if error.code != 404:
            raise


def _marked(context: ControllerContext, pod: Pod, reason: str, message: str, fail: bool = False) -> Pod:
    document = pod.render()
    status: dict[str, Any] = dict(document.get("status") or {})
    generation = (document.get("metadata") or {}).get("generation")
    observed = {} if generation is None else {"observedGeneration": generation}
    if reason:
        old = [each for each in status.get("conditions") or () if each.get("type") != _TARGET]
        condition = {"type": _TARGET, **observed, "status": "True", "lastProbeTime": None}
        condition |= {"lastTransitionTime": render_time(context.clock.now), "reason": reason, "message": message}
        status["conditions"] = [*old, condition]
    if fail:
        status |= {"phase": FAILED, **observed}
    marked = context.client.update_status(pod, status)
    assert isinstance(marked, Pod)
    return marked
