from __future__ import annotations

from functools import partial
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import FAILED, PENDING, Pod
from wavetank.cluster.objects.resource import parse_time
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.containers.container import KILLED
from wavetank.nodes.reports.kubeletreports import KubeletReports
from wavetank.realclusters.client.client import STRATEGIC_PATCH
from wavetank.realclusters.client.outbox import Outbox, Request
from wavetank.realclusters.nodes.names import pod_path

Status = dict[str, Any]

_SCHEDULERS = ("PodScheduled", "DisruptionTarget")  # conditions that are not the kubelet's


class PodReports:
    """Sends what happens to pods on simulated nodes: their status, and their removal once they have stopped.

    Attach it after the kubelets. Changes that came from the API server are named before they are made, and not sent
    back.
    """

    def __init__(self, context: ActorContext, reports: KubeletReports, outbox: Outbox) -> None:
        self._reports = reports
        self._outbox = outbox
        self._store = context.store
        self._written: Pod | None = None
        self._removed: Pod | None = None
        context.store.subscribe(POD, modified=self._modified, deleted=self._deleted)

    def writing(self, pod: Pod) -> None:
        """Names the version of a pod that is about to be written as the API server has reported it."""
        self._written = pod

    def deleting(self, pod: Pod) -> None:
        """Names a pod that is about to be deleted as the API server has reported."""
        self._removed = pod

    def resume(self, pod: Pod, status: Status, started: Nanoseconds) -> None:
        """Goes on with what an earlier run of this program reported of a running pod."""
        bound = parse_time(status.get("startTime"), "status.startTime") or started
        self._reports.resume(pod, str(status.get("podIP") or ""), bound, started)

    def report(self, pod: Pod) -> None:
        """Sends the present status of a pod."""
        self._outbox.put(pod.uid, partial(self._status_of, pod))

    def _modified(self, old: Pod, new: Pod) -> None:
        if new is self._written:
            return
        if new.finished:
            self._outbox.put(new.uid, partial(_as_is, [_patch(new, self._render(new))]))
        else:
            self.report(new)

    def _status_of(self, pod: Pod) -> list[Request]:
        present = self._store.find(POD, pod.namespace, pod.name)
        if not isinstance(present, Pod) or present.uid != pod.uid:
            return []
        return [_patch(present, self._render(present))]

    def _deleted(self, old: Pod) -> None:
        """Reports the end of a pod that was stopped, and removes it; a finished one stays at the server."""
        if old is self._removed or old.finished:
            return
        requests = []
        if old.phase != PENDING:
            requests.append(_patch(old, _killed(self._render(old))))
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": old.uid}}
        requests.append(Request("DELETE", pod_path(old.namespace, old.name), options))
        self._outbox.put(old.uid, partial(_as_is, requests))

    def _render(self, pod: Pod) -> Status:
        status: Status = self._reports.render(pod)["status"]
        conditions = status.get("conditions") or ()
        return {**status, "conditions": [each for each in conditions if each.get("type") not in _SCHEDULERS]}


def _as_is(requests: list[Request]) -> list[Request]:
    return requests


def _patch(pod: Pod, status: Status) -> Request:
    body = {"metadata": {"uid": pod.uid}, "status": status}  # the uid: not another pod of the same name
    return Request("PATCH", pod_path(pod.namespace, pod.name) + "/status", body, STRATEGIC_PATCH)


def _killed(status: Status) -> Status:
    """Returns the status of a pod whose running containers were stopped."""
    containers = [_stopped(each) for each in status.get("containerStatuses") or ()]
    conditions = [
        {**each, "status": "False", "reason": "PodFailed"} if each["type"] in ("Ready", "ContainersReady") else each
        for each in status["conditions"]
    ]
    return {**status, "phase": FAILED, "containerStatuses": containers, "conditions": conditions}


def _stopped(container: Status) -> Status:
    running = container["state"].get("running")
    if running is None:
        return container
    ended = {"exitCode": KILLED, "reason": "Error", **running, "containerID": container.get("containerID")}
    return {**container, "state": {"terminated": ended}, "ready": False, "started": False}
