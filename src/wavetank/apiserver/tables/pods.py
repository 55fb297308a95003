"""The row of a pod: what its containers' states add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.tables.cells import (
    NONE,
    Cells,
    Document,
    age,
    condition_of,
    dig,
    holds,
    human_duration,
    items_at,
    name_of,
    number_at,
    seconds_of,
    terminating,
    text_at,
)

_CONDITIONS = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


def pod(document: Document, now: float) -> Cells:
    """Prints a Pod."""
    summary = summarize(document)
    nominated = text_at(document, "status", "nominatedNodeName", default=NONE)
    addresses = items_at(document, "status", "podIPs")
    address = text_at(addresses[0], "ip") if addresses else text_at(document, "status", "podIP")
    ready = f"{summary.ready}/{summary.total}"
    cells = [name_of(document), ready, summary.reason, summary.restart_cell(now), age(document, now)]
    return [*cells, address or NONE, text_at(document, "spec", "nodeName", default=NONE), nominated, _gates(document)]


def pod_conditions(document: Document) -> list[dict[str, str]] | None:
    """Returns the conditions of a Pod's row, which show that it is completed."""
    phase = text_at(document, "status", "phase")
    if phase not in _CONDITIONS:
        return None
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _CONDITIONS[phase]}]


@dataclass(slots=True)
class Summary:
    """How many containers are ready, how often they were restarted, and the one word for it all."""

    total: int
    reason: str
    ready: int = 0
    restarts: int = 0
    last_restart: float | None = None

    def count(self, status: Document) -> None:
        """Adds the restarts of a container."""
        self.restarts += number_at(status, "restartCount")
        finished = seconds_of(dig(status, "lastState", "terminated", "finishedAt"))
        if finished is not None and (self.last_restart is None or self.last_restart < finished):
            self.last_restart = finished

    def restart_cell(self, now: float) -> str:
        """Returns the number of restarts and how long ago the last one was."""
        if not self.restarts or self.last_restart is None:
            return str(self.restarts)
        return f"{self.restarts} ({human_duration(now - self.last_restart)} ago)"


def summarize(document: Document) -> Summary:
    """Reads the states of all containers, init containers first."""
    phase = text_at(document, "status", "phase")
    sidecars = [text_at(one, "name") for one in items_at(document, "spec", "initContainers") if _is_sidecar(one)]
    total = len(items_at(document, "spec", "containers")) + len(sidecars)
    summary = Summary(total, text_at(document, "status", "reason", default=phase))
    if dig(condition_of(document, "PodScheduled"), "reason") == "SchedulingGated":
        summary.reason = "SchedulingGated"
    initializing = _read_init_containers(document, sidecars, summary)
    if not initializing or holds(document, "Initialized"):
        _read_containers(document, sidecars, summary)
    if terminating(document):
        _mark_terminating(document, phase, summary)
    return summary


def _is_sidecar(container: Document) -> bool:
    return text_at(container, "restartPolicy") == "Always"


def _read_init_containers(document: Document, sidecars: list[str], summary: Summary) -> bool:
    """Returns whether an init container has still to run, and says so in the reason."""
    count = len(items_at(document, "spec", "initContainers"))
    for index, status in enumerate(items_at(document, "status", "initContainerStatuses")):
        summary.count(status)
        terminated = dig(status, "state", "terminated")
        if terminated is not None and not number_at(terminated, "exitCode"):
            continue
        if text_at(status, "name") in sidecars and dig(status, "started") is True:
            summary.ready += dig(status, "ready") is True
            continue
        summary.reason = f"Init:{_init_reason(status, f'{index}/{count}')}"
        return True
    return False


def _init_reason(status: Document, progress: str) -> str:
    terminated = dig(status, "state", "terminated")
    if terminated is not None:
        return _ended(terminated)
    waiting = text_at(status, "state", "waiting", "reason")
    return waiting if waiting not in ("", "PodInitializing") else progress


def _ended(terminated: Document) -> str:
    signal, code = number_at(terminated, "signal"), number_at(terminated, "exitCode")
    return text_at(terminated, "reason", default=f"Signal:{signal}" if signal else f"ExitCode:{code}")


def _read_containers(document: Document, sidecars: list[str], summary: Summary) -> None:
    summary.restarts, summary.last_restart = 0, None  # those of init containers that are over no longer count
    for status in items_at(document, "status", "initContainerStatuses"):
        if text_at(status, "name") in sidecars:
            summary.count(status)
    running, failure = False, ""
    for status in reversed(items_at(document, "status", "containerStatuses")):
        summary.count(status)
        waiting, terminated = text_at(status, "state", "waiting", "reason"), dig(status, "state", "terminated")
        if waiting:
            summary.reason = waiting
        elif terminated is not None:
            summary.reason = _ended(terminated)
            failure = summary.reason if number_at(terminated, "exitCode") else failure
        elif dig(status, "ready") is True and dig(status, "state", "running") is not None:
            running = True
            summary.ready += 1
    if summary.reason == "Completed":
        summary.reason = _completed(document, running, failure)


def _completed(document: Document, running: bool, failure: str) -> str:
    """Says what a pod is of which one container has completed and others perhaps have not."""
    ready = any(_is_true(one, "Ready") for one in items_at(document, "status", "conditions"))
    if running and ready:
        return "Running"
    return failure or ("NotReady" if running else "Completed")


def _is_true(condition: Any, type_: str) -> bool:
    return text_at(condition, "type") == type_ and text_at(condition, "status") == "True"


def _mark_terminating(document: Document, phase: str, summary: Summary) -> None:
    if dig(document, "status", "reason") == "NodeLost":
        summary.reason = "Unknown"
    elif phase not in ("Succeeded", "Failed"):
        summary.reason = "Terminating"


def _gates(document: Document) -> str:
    gates = items_at(document, "spec", "readinessGates")
    passed = sum(holds(document, text_at(gate, "conditionType")) for gate in gates)
    return f"{passed}/{len(gates)}" if gates else NONE
