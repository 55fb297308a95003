"""The state machine of a Volcano Job: what an action does in each phase, and which phase follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wavetank.controllers.framework.client import Document
from wavetank.controllers.volcanojobs.policies import SYNC
from wavetank.controllers.volcanojobs.spec import JobSpec

PENDING, RUNNING, RESTARTING = "Pending", "Running", "Restarting"
ABORTING, TERMINATING, COMPLETING = "Aborting", "Terminating", "Completing"
ABORTED, TERMINATED, COMPLETED, FAILED = "Aborted", "Terminated", "Completed", "Failed"
FINISHED = (COMPLETED, FAILED, TERMINATED)

# Updates a job's status; returns whether the phase has changed.
Change = Callable[[JobSpec, Document], bool]

_RESTARTS = ("RestartTask", "RestartPod", "RestartPartition")
_ENDINGS = {"AbortJob": ABORTING, "TerminateJob": TERMINATING, "CompleteJob": COMPLETING}
_ENDED = {ABORTING: ABORTED, TERMINATING: TERMINATED, COMPLETING: COMPLETED}


@dataclass(frozen=True, slots=True)
class Operation:
    """What the controller does to a job: sync its pods or kill them, then update its status.

    `kills`: deletes all pods, or only those of the `target`; finished pods are kept if `retains_finished`.
    """

    change: Change | None
    kills: bool = False
    retains_finished: bool = False
    target: bool = False


def operation_for(phase: str, action: str) -> Operation:
    """Returns what an action does in a phase."""
    if phase in FINISHED:
        return Operation(None, kills=True, retains_finished=True)
    if phase in _ENDED or phase == ABORTED:
        if action == "ResumeJob" and phase in (ABORTING, ABORTED):
            return Operation(_begin_again, kills=True, retains_finished=True)
        return Operation(None if phase == ABORTED else _end, kills=True, retains_finished=True)
    if phase == RESTARTING:
        if action == SYNC:
            return Operation(_after_restart)
        return Operation(_after_restart, kills=True, target=action in _RESTARTS)
    return _operation_while_active(phase, action)


def _operation_while_active(phase: str, action: str) -> Operation:
    """Returns what an action does to a pending or running job."""
    if action == "RestartJob" or action in _RESTARTS:
        return Operation(_begin_again, kills=True, target=action in _RESTARTS)
    if action in _ENDINGS:
        return Operation(_ending(_ENDINGS[action]), kills=True, retains_finished=True)
    return Operation(_while_running if phase == RUNNING else _while_pending)


def _set(status: Document, phase: str) -> bool:
    status["state"] = {**(status.get("state") or {}), "phase": phase}
    return True


def _begin_again(spec: JobSpec, status: Document) -> bool:
    status["retryCount"] = status.get("retryCount", 0) + 1
    return _set(status, RESTARTING)


def _ending(phase: str) -> Change:
    return lambda spec, status: _set(status, phase)


def _end(spec: JobSpec, status: Document) -> bool:
    """Finishes the job when none of its pods is active."""
    if any(status.get(count) for count in ("terminating", "pending", "running")):
        return False
    return _set(status, _ENDED[status["state"]["phase"]])


def _after_restart(spec: JobSpec, status: Document) -> bool:
    if status.get("retryCount", 0) >= spec.max_retry:
        return _set(status, FAILED)
    if spec.replicas - status.get("terminating", 0) >= status.get("minAvailable", 0):
        return _set(status, PENDING)
    return False


def _while_pending(spec: JobSpec, status: Document) -> bool:
    there = sum(status.get(count, 0) for count in ("running", "succeeded", "failed"))
    return spec.min_available <= there and _set(status, RUNNING)


def _while_running(spec: JobSpec, status: Document) -> bool:
    succeeded, failed = status.get("succeeded", 0), status.get("failed", 0)
    if spec.replicas == 0:
        return False
    if spec.min_success is not None and succeeded >= spec.min_success:
        return _set(status, COMPLETED)
    if succeeded + failed == spec.replicas:
        return _set(status, COMPLETED if _is_success(spec, status, succeeded) else FAILED)
    if status.get("pending", 0) > spec.replicas - spec.min_available:
        return _set(status, PENDING)
    return False


def _is_success(spec: JobSpec, status: Document, succeeded: int) -> bool:
    """Tells whether enough pods of the job, and of each task with a minimum, have succeeded."""
    if spec.min_available >= sum(task.min_available for task in spec.tasks):
        counts = status.get("taskStatusCount") or {}
        for task in spec.tasks:
            if task.name in counts and counts[task.name]["phase"].get("Succeeded", 0) < task.min_available:
                return False
    return succeeded >= (spec.min_available if spec.min_success is None else spec.min_success)
