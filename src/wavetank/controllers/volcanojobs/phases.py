"""The phases of a Volcano Job: what an action means in each of them, and what comes next."""

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

# A change of a job's status; tells whether the phase is another one.
Change = Callable[[JobSpec, Document], bool]

_RESTARTS = ("RestartTask", "RestartPod", "RestartPartition")
_ENDINGS = {"AbortJob": ABORTING, "TerminateJob": TERMINATING, "CompleteJob": COMPLETING}
_ENDED = {ABORTING: ABORTED, TERMINATING: TERMINATED, COMPLETING: COMPLETED}


@dataclass(frozen=True, slots=True)
class Deed:
    """What the controller does: bring the job's pods to what it asks for, or kill them, and then change its status.

    `kills`: all pods, but those that have ended are kept if `spares`; or only those of the `target`.
    """

    change: Change | None
    kills: bool = False
    spares: bool = False
    target: bool = False


def deed_of(phase: str, action: str) -> Deed:
    """Returns what an action means in a phase."""
    if phase in FINISHED:
        return Deed(None, kills=True, spares=True)
    if phase in _ENDED or phase == ABORTED:
        if action == "ResumeJob" and phase in (ABORTING, ABORTED):
            return Deed(_begin_again, kills=True, spares=True)
        return Deed(None if phase == ABORTED else _end, kills=True, spares=True)
    if phase == RESTARTING:
        if action == SYNC:
            return Deed(_after_restart)
        return Deed(_after_restart, kills=True, target=action in _RESTARTS)
    return _deed_of_living(phase, action)


def _deed_of_living(phase: str, action: str) -> Deed:
    """Returns what an action means to a job that is pending or runs."""
    if action == "RestartJob" or action in _RESTARTS:
        return Deed(_begin_again, kills=True, target=action in _RESTARTS)
    if action in _ENDINGS:
        return Deed(_ending(_ENDINGS[action]), kills=True, spares=True)
    return Deed(_while_running if phase == RUNNING else _while_pending)


def _set(status: Document, phase: str) -> bool:
    status["state"] = {**(status.get("state") or {}), "phase": phase}
    return True


def _begin_again(spec: JobSpec, status: Document) -> bool:
    status["retryCount"] = status.get("retryCount", 0) + 1
    return _set(status, RESTARTING)


def _ending(phase: str) -> Change:
    return lambda spec, status: _set(status, phase)


def _end(spec: JobSpec, status: Document) -> bool:
    """Ends the job as soon as no pod of it is alive."""
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
    """Tells whether enough pods of the job, and of each of its tasks where that counts, have done their work."""
    if spec.min_available >= sum(task.min_available for task in spec.tasks):
        counts = status.get("taskStatusCount") or {}
        for task in spec.tasks:
            if task.name in counts and counts[task.name]["phase"].get("Succeeded", 0) < task.min_available:
                return False
    return succeeded >= (spec.min_available if spec.min_success is None else spec.min_success)
