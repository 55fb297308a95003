"""The status of a pod, as its kubelet reports it, rendered from the pod's history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.cluster.objects.pod import RUNNING, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import parse_time, render_time
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.containers.container import BACK_OFF, CREATING, INITIALIZING
from wavetank.nodes.containers.plans import Terminated
from wavetank.nodes.containers.reports import PodReport, back_off_message, container_status, terminated
from wavetank.nodes.reports.podhistory import PodHistory, exit_code

Json = dict[str, Any]

# A kubelet's conditions, in the order in which it writes them; the scheduler's comes last.
_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def complete_status(document: Json, pod: Pod, history: PodHistory, host_ip: str) -> None:
    """Adds to the status of a rendered pod that is bound what its kubelet reports."""
    status = document["status"]
    started, report = history.started(pod), history.report(pod)
    generation = document["metadata"].get("generation")
    if generation is not None:
        status["observedGeneration"] = generation
    status["startTime"] = render_time(history.bound)
    status["conditions"] = _conditions(status.get("conditions") or (), pod, history, generation)
    if host_ip:
        status["hostIP"], status["hostIPs"] = host_ip, [{"ip": host_ip}]
    if started is not None or report is not None:
        status["podIP"], status["podIPs"] = history.ip, [{"ip": history.ip}]
    if started is None and pod.finished and report is None:
        return  # the kubelet rejected it
    spec = pod.spec.manifest
    if report is not None:
        _complete_containers(status, report)
        return
    status["containerStatuses"] = [_container(pod, history, given) for given in spec.get("containers") or ()]
    if spec.get("initContainers"):
        status["initContainerStatuses"] = [_init(pod, history, given) for given in spec["initContainers"]]


def observe_unscheduled(document: Json) -> None:
    """Adds the observed generation to the condition that a scheduler has written on a rendered pod without a node."""
    generation = document["metadata"].get("generation")
    conditions = (document.get("status") or {}).get("conditions")
    if generation is not None and conditions:
        document["status"]["conditions"] = [
            {**each, "observedGeneration": generation} if each.get("type") == "PodScheduled" else each
            for each in conditions
        ]


def _complete_containers(status: Json, report: PodReport) -> None:
    status["containerStatuses"] = [each.status for each in report.main]
    if report.init:
        status["initContainerStatuses"] = [each.status for each in report.init]
    if report.ephemeral:
        status["ephemeralContainerStatuses"] = [each.status for each in report.ephemeral]


def containers_ready_since(pod: Pod, history: PodHistory) -> Nanoseconds | None:
    """Returns since when all containers of a running pod are ready; None if they are not."""
    report = history.report(pod)
    if report is not None:
        return report.ready
    return None if history.waits(pod) else history.started(pod)


def gates_open_since(pod: Pod, since: Nanoseconds) -> Nanoseconds | None:
    """Returns since when a pod whose containers are ready is ready itself: when its readiness gates hold; else None."""
    conditions = (pod.manifest.get("status") or {}).get("conditions") or ()
    known = {each.get("type"): each for each in conditions if each.get("status") == "True"}
    for gate in pod.spec.manifest.get("readinessGates") or ():
        condition = known.get(gate.get("conditionType"))
        if condition is None:
            return None
        stated = parse_time(condition.get("lastTransitionTime"), "lastTransitionTime")
        since = max(since, since if stated is None else stated)
    return since


def _conditions(
    given: Sequence[Mapping[str, Any]], pod: Pod, history: PodHistory, generation: int | None
) -> list[Json]:
    if pod.resource_version in history.stated:
        return [dict(each) for each in given]
    observed = {} if generation is None else {"observedGeneration": generation}
    ours = [{**_condition(kind, pod, history), **observed} for kind in _CONDITIONS]
    return [*ours, *(dict(other) for other in given if other.get("type") not in _CONDITIONS)]


def differs(given: Sequence[Mapping[str, Any]], pod: Pod, history: PodHistory) -> bool:
    """Tells whether conditions that a kubelet writes are given, with another status than it reports."""
    stated = {str(each.get("type")): each.get("status") for each in given}
    return any(kind in stated and stated[kind] != _condition(kind, pod, history)["status"] for kind in _CONDITIONS[:4])


def _condition(kind: str, pod: Pod, history: PodHistory) -> Json:
    report = history.report(pod)
    says: Json = {"type": kind, "status": "True", "lastProbeTime": None}
    since: Nanoseconds = history.bound
    if kind == "PodReadyToStartContainers":
        started = report is not None or history.started(pod) is not None
        says["status"] = "True" if started and not pod.finished else "False"
        since = (history.finished or history.bound) if pod.finished else _sandbox_since(pod, history, report)
    elif kind in ("Ready", "ContainersReady"):
        since = _describe_ready(says, pod, history, report)
    elif kind == "Initialized":
        since = _describe_initialized(says, pod, history, report)
    return {**says, "lastTransitionTime": render_time(since)}


def _sandbox_since(pod: Pod, history: PodHistory, report: PodReport | None) -> Nanoseconds:
    started = history.started(pod) if report is None else None
    return history.bound if started is None else started


def _describe_initialized(says: Json, pod: Pod, history: PodHistory, report: PodReport | None) -> Nanoseconds:
    if pod.phase == SUCCEEDED:
        says["reason"] = "PodCompleted"
    waits = report is None and history.started(pod) is None and not pod.finished
    names = _regular_inits(pod) if waits else [] if report is None else list(report.incomplete)
    if names:
        message = f"containers with incomplete status: [{' '.join(names)}]"
        says |= {"status": "False", "reason": "ContainersNotInitialized", "message": message}
    return history.bound if report is None or report.initialized is None else report.initialized


def _regular_inits(pod: Pod) -> list[str]:
    return [str(each.get("name")) for each in pod.spec.manifest.get("initContainers") or ()]


def _describe_ready(says: Json, pod: Pod, history: PodHistory, report: PodReport | None) -> Nanoseconds:
    ready = containers_ready_since(pod, history) if pod.phase == RUNNING else None
    if ready is not None and says["type"] == "Ready" and "readinessGates" in pod.spec.manifest:
        opened = gates_open_since(pod, ready)
        if opened is None:
            says |= {"status": "False", "reason": "ReadinessGatesNotReady", "message": _closed_gates(pod)}
        return ready if opened is None else opened
    if ready is not None:
        return ready
    says |= {"status": "False", **_not_ready(pod, report)}
    if report is not None:
        return report.changed
    started = history.started(pod)
    if pod.finished or history.waits(pod):
        return history.bound if started is None else history.ended(pod, pod.restarts)
    return history.bound if started is None else started


def _closed_gates(pod: Pod) -> str:
    conditions = (pod.manifest.get("status") or {}).get("conditions") or ()
    known = {str(each.get("type")): str(each.get("status")) for each in conditions}
    problems = []
    for gate in pod.spec.manifest.get("readinessGates") or ():
        name = str(gate.get("conditionType"))
        if name not in known:
            problems.append(f'corresponding condition of pod readiness gate "{name}" does not exist.')
        elif known[name] != "True":
            problems.append(f'the status of pod readiness gate "{name}" is not "True", but {known[name]}')
    return ", ".join(problems)


def _not_ready(pod: Pod, report: PodReport | None) -> Json:
    if pod.phase == SUCCEEDED:
        return {"reason": "PodCompleted"}
    if pod.finished:
        return {"reason": "PodFailed"}
    given = [str(container.get("name")) for container in pod.spec.manifest.get("containers") or ()]
    names = " ".join(given if report is None else report.unready)
    return {"reason": "ContainersNotReady", "message": f"containers with unready status: [{names}]"}


def _container(pod: Pod, history: PodHistory, given: Mapping[str, Any]) -> Json:
    started, waits = history.started(pod), history.waits(pod)
    running = started is not None and not pod.finished and not waits
    before = pod.restarts if waits else pod.restarts - 1
    last: Json = {"terminated": _terminated(pod, history, given, before)} if started is not None and before >= 0 else {}
    state = _state(pod, history, given)
    begun = started is not None
    return container_status(pod, given, pod.restarts, begun, state, last, ready=running, started=running)


def _state(pod: Pod, history: PodHistory, given: Mapping[str, Any]) -> Json:
    started = history.started(pod)
    if started is None:
        return {"waiting": {"reason": INITIALIZING if pod.spec.manifest.get("initContainers") else CREATING}}
    if history.waits(pod):
        return {"waiting": {"reason": BACK_OFF, "message": back_off_message(pod, str(given.get("name")))}}
    if pod.finished:
        return {"terminated": _terminated(pod, history, given, pod.restarts)}
    return {"running": {"startedAt": render_time(started)}}


def _init(pod: Pod, history: PodHistory, given: Mapping[str, Any]) -> Json:
    started = history.started(pod)
    state: Json = {"waiting": {"reason": INITIALIZING}}
    if started is not None:
        state = {"terminated": terminated(pod, given, Terminated(0, 0, history.bound, history.starts[0], "Completed"))}
    done = started is not None
    return container_status(pod, given, 0, done, state, {}, ready=done, started=False)


def _terminated(pod: Pod, history: PodHistory, given: Mapping[str, Any], run: int) -> Json:
    code = exit_code(pod)
    reason = pod.reason if run == pod.restarts and pod.reason else "Error" if code else "Completed"
    end = Terminated(run, code, history.starts[run], history.ended(pod, run), reason)
    return terminated(pod, given, end)
