"""The status of a pod, as its kubelet reports it, rendered from the pod's history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wavetank.cluster.objects.pod import RUNNING, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.reports.podhistory import PodHistory, exit_code

Json = dict[str, Any]

_RUNTIME = "wavetank"
# A kubelet's conditions, in the order in which it writes them; the scheduler's comes last.
_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def complete_status(status: Json, pod: Pod, history: PodHistory, host_ip: str) -> None:
    """Adds to the rendered status of a bound pod what its kubelet reports."""
    started = history.started(pod)
    status["startTime"] = render_time(history.bound)
    status["conditions"] = _conditions(status.get("conditions") or (), pod, history)
    if host_ip:
        status["hostIP"], status["hostIPs"] = host_ip, [{"ip": host_ip}]
    if started is not None:
        status["podIP"], status["podIPs"] = history.ip, [{"ip": history.ip}]
    if started is None and pod.finished:
        return  # the kubelet rejected it
    spec = pod.spec.manifest
    status["containerStatuses"] = [_container(pod, history, given) for given in spec.get("containers") or ()]
    if spec.get("initContainers"):
        status["initContainerStatuses"] = [_init(pod, history, given) for given in spec["initContainers"]]


def _conditions(given: Sequence[Mapping[str, Any]], pod: Pod, history: PodHistory) -> list[Json]:
    known = {condition.get("type"): condition for condition in given}
    ours = [{**_condition(kind, pod, history), **_extra(known.get(kind))} for kind in _CONDITIONS]
    return [*ours, *(dict(other) for other in given if other.get("type") not in _CONDITIONS)]


def _extra(given: Mapping[str, Any] | None) -> Json:
    return {"observedGeneration": given["observedGeneration"]} if given and "observedGeneration" in given else {}


def _condition(kind: str, pod: Pod, history: PodHistory) -> Json:
    started = history.started(pod)
    since: Nanoseconds = history.bound
    says: Json = {"type": kind, "status": "True", "lastProbeTime": None}
    if kind in ("Ready", "ContainersReady", "PodReadyToStartContainers"):
        waits = history.waits(pod) and kind != "PodReadyToStartContainers"
        says["status"] = "True" if pod.phase == RUNNING and started is not None and not waits else "False"
        since = history.bound if started is None else started
        if pod.finished or waits:
            since = history.bound if started is None else history.ended(pod, pod.restarts)
        if says["status"] == "False" and kind != "PodReadyToStartContainers":
            says.update(_not_ready(pod))
    elif kind == "Initialized" and pod.phase == SUCCEEDED:
        says["reason"] = "PodCompleted"
    return {**says, "lastTransitionTime": render_time(since)}


def _not_ready(pod: Pod) -> Json:
    if pod.phase == SUCCEEDED:
        return {"reason": "PodCompleted"}
    if pod.finished:
        return {"reason": "PodFailed"}
    names = " ".join(str(container.get("name")) for container in pod.spec.manifest.get("containers") or ())
    return {"reason": "ContainersNotReady", "message": f"containers with unready status: [{names}]"}


def _container(pod: Pod, history: PodHistory, given: Mapping[str, Any]) -> Json:
    started, waits = history.started(pod), history.waits(pod)
    running = started is not None and not pod.finished and not waits
    before = pod.restarts if waits else pod.restarts - 1
    last: Json = {"terminated": _terminated(pod, history, given, before)} if started is not None and before >= 0 else {}
    state = _state(pod, history, given)
    return dict(_report(pod, given, pod.restarts, started is not None, state, last, ready=running, started=running))


def _state(pod: Pod, history: PodHistory, given: Mapping[str, Any]) -> Json:
    started = history.started(pod)
    if started is None:
        return {"waiting": {"reason": "ContainerCreating"}}
    if history.waits(pod):
        name = f"container={given.get('name')} pod={pod.name}_{pod.namespace}({pod.uid})"
        return {"waiting": {"reason": "CrashLoopBackOff", "message": f"back-off restarting failed {name}"}}
    if pod.finished:
        return {"terminated": _terminated(pod, history, given, pod.restarts)}
    return {"running": {"startedAt": render_time(started)}}


def _init(pod: Pod, history: PodHistory, given: Mapping[str, Any]) -> Json:
    started = history.started(pod)
    state: Json = {"waiting": {"reason": "PodInitializing"}}
    if started is not None:
        ended = {"exitCode": 0, "reason": "Completed", "containerID": _id(pod, given, 0)}
        times = {"startedAt": render_time(history.bound), "finishedAt": render_time(history.starts[0])}
        state = {"terminated": {**ended, **times}}
    done = started is not None
    return dict(_report(pod, given, 0, done, state, {}, ready=done, started=False))


def _terminated(pod: Pod, history: PodHistory, given: Mapping[str, Any], run: int) -> Json:
    code = exit_code(pod)
    return {
        "exitCode": code,
        "reason": pod.reason if run == pod.restarts and pod.reason else "Error" if code else "Completed",
        "startedAt": render_time(history.starts[run]),
        "finishedAt": render_time(history.ended(pod, run)),
        "containerID": _id(pod, given, run),
    }


def _report(
    pod: Pod, given: Mapping[str, Any], run: int, begun: bool, state: Json, last: Json, *, ready: bool, started: bool
) -> Iterator[tuple[str, Any]]:
    image = str(given.get("image") or "")
    yield from {"name": given.get("name"), "state": state, "lastState": last, "ready": ready}.items()
    yield from {"restartCount": run, "image": image, "imageID": f"{_RUNTIME}://{image}" if begun else ""}.items()
    if begun:
        yield "containerID", _id(pod, given, run)
    yield "started", started


def _id(pod: Pod, given: Mapping[str, Any], run: int) -> str:
    return f"{_RUNTIME}://{pod.uid}/{given.get('name')}/{run}"
