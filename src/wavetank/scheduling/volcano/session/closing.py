"""What is written when a session ends: the status of PodGroups and queues, and why pods were not bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS
from wavetank.quantity import format_bytes, format_milli
from wavetank.scheduling.volcano.model.job import INQUEUE, PENDING_PHASE, RUNNING_PHASE, Job
from wavetank.scheduling.volcano.model.quantities import Quantities
from wavetank.scheduling.volcano.model.queue import ROOT
from wavetank.scheduling.volcano.model.statuses import (
    ALLOCATED,
    COMPLETED,
    FAILED,
    HOLDING,
    NAMES,
    PENDING,
    PIPELINED,
    RUNNING,
    SUCCEEDED,
)
from wavetank.scheduling.volcano.model.statuses import SCHEDULED as SCHEDULED_TASKS
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.outcome import SCHEDULED, UNSCHEDULABLE, PodCondition

if TYPE_CHECKING:
    from wavetank.scheduling.volcano.session.session import Session

_UNKNOWN, _COMPLETED = "Unknown", "Completed"
_READY, _NOT_READY = "pod group is ready", "pod group is not ready"
Counts = tuple[tuple[str, int], ...]
ORIGIN = ". Origin reason is"  # what follows names one task of several


def set_condition(session: Session, job: Job, kind: str, reason: str, message: str) -> None:
    """Sets a condition of a job's PodGroup, replacing that of the same type."""
    condition = {"type": kind, "status": "True", "reason": reason, "message": message}
    session.new_conditions.setdefault(job.key, {})[kind] = {field: text for field, text in condition.items() if text}


def fit_error(session: Session, job: Job) -> str:
    """Summarizes the statuses of a job's tasks, as Volcano does.

    Volcano reports why a job was not enqueued in an Event only. A run records no Events, so the reason is appended
    here as the origin.
    """
    known = session.fit_errors.get(job.key)
    if known is None:
        known = session.fit_errors[job.key] = _standing(job) + _origin(session, job)
    return known


def _standing(job: Job) -> str:
    reasons = Counter(_condition(job, task).reason for task in job.among(PENDING))
    return _describe(tuple(job.tallies()), job.min_available, job.is_ready(), tuple(sorted(reasons.items())))


@lru_cache(maxsize=4096)
def _describe(tallies: Counts, least: int, is_ready: bool, reasons: Counts) -> str:
    """Writes the summary; many jobs have the same."""
    text = f"{_READY if is_ready else _NOT_READY}, {_histogram((*tallies, ('minAvailable', least)))}"
    return f"{text}; {NAMES[PENDING]}: {_histogram(reasons)}" if reasons else text


def _histogram(counts: Counts) -> str:
    return ", ".join(sorted(f"{count} {text}" for text, count in counts))


def _origin(session: Session, job: Job) -> str:
    refused = session.enqueue_rejections.get(job.key)
    if refused is not None:
        return f"{ORIGIN}: {refused}"
    first = min(job.fit_errors, default=None)
    return "" if first is None else f"{ORIGIN} {first.partition('/')[2]}: {job.fit_errors[first].text()}"


def _condition(job: Job, task: Task) -> PodCondition:
    """Returns why a task was not bound; without a message if that is unknown."""
    if task.last is None and task.status == PENDING:
        errors = job.fit_errors.get(task.key)
        return PodCondition(UNSCHEDULABLE, errors.text() if errors else "", "")
    seen = task.seen_as
    place = f"Pod {task.key} can possibly be assigned to {seen.node}, once"
    if seen.status == ALLOCATED:
        return PodCondition("Schedulable", f"{place} minAvailable is satisfied", "")
    if seen.status == PIPELINED:
        message = f"{place} resource is released and minAvailable is satisfied"
        return PodCondition(UNSCHEDULABLE, message, seen.node if seen.evicted_for else "")
    return PodCondition(NAMES[seen.status], "", "")


# the end of a session

_COUNTED = (("running", RUNNING), ("succeeded", SUCCEEDED), ("failed", FAILED))


def write_statuses(session: Session) -> None:
    """Fills the outcome with the status of everything; the session's memory is as the last action left it."""
    outcome = session.outcome
    for job in session.jobs.values():
        status = outcome.groups[job.key] = _group_status(session, job)
        outcome.conditions.update(_conditions(session, job))
        if session.observer is not None:
            outcome.events += [(job.key, *event) for event in _events(session, job, status)]
        outcome.pipelined.update((task.key, task.node) for task in job.among(PIPELINED))
    for task, reason in outcome.evicts:
        outcome.events.append((task.job, "Evict", reason))
    if session.observer is not None:
        outcome.queues = {name: _listed(held) for name, held in _held_by_queue(session).items()}


def _group_status(session: Session, job: Job) -> dict[str, Any]:
    assert job.group is not None
    new = session.new_conditions.get(job.key, {})
    before = job.group.status.get("conditions") or ()
    known = {condition["type"]: condition for condition in before}
    conditions = list({**known, **new}.values())
    status: dict[str, Any] = {"phase": _phase(job, UNSCHEDULABLE in new)}
    if conditions:
        status["conditions"] = conditions
    for field, counted in _COUNTED:
        if job.count(counted):
            status[field] = job.count(counted)
    return status


def _phase(job: Job, unschedulable: bool) -> str:
    assert job.group is not None
    if job.count(RUNNING) and unschedulable:
        return _UNKNOWN
    scheduled = sum(job.count(status) for status in SCHEDULED_TASKS)
    if scheduled >= job.group.min_member:
        return _COMPLETED if scheduled == sum(job.count(status) for status in COMPLETED) else RUNNING_PHASE
    return INQUEUE if job.phase == INQUEUE else PENDING_PHASE


def _events(session: Session, job: Job, status: dict[str, Any]) -> Iterator[tuple[str, str]]:
    assert job.group is not None
    if status["phase"] in (_UNKNOWN, PENDING_PHASE, INQUEUE):
        pending = f"{job.count(PENDING)}/{len(job.tasks)} tasks in gang unschedulable: {fit_error(session, job)}"
        yield UNSCHEDULABLE, pending
    elif changes_status(job, status):
        yield SCHEDULED, _READY


def changes_status(job: Job, status: dict[str, Any]) -> bool:
    """Returns whether a status says anything new; the time of a condition does not count."""
    assert job.group is not None
    old = job.group.status
    if old == status:
        return False
    if any((old.get(field) or 0) != (status.get(field) or 0) for field, _ in _COUNTED):
        return True
    return (old.get("phase") or "") != status["phase"] or _bare(old) != _bare(status)


def _bare(status: Any) -> list[dict[str, Any]]:
    fields = ("type", "status", "reason", "message")
    return [{field: each.get(field) or "" for field in fields} for each in status.get("conditions") or ()]


def _conditions(session: Session, job: Job) -> Iterator[tuple[str, PodCondition]]:
    """Yields why each task that got no place of its own was not bound."""
    left = [task for status in (ALLOCATED, PENDING, PIPELINED) for task in job.among(status) if not task.gated]
    if not left:
        return
    otherwise = fit_error(session, job)
    for task in left:
        found = _condition(job, task)
        nominated = found.nominated or task.pod.nominated_node  # a nomination is never cleared
        yield task.key, PodCondition(found.reason, found.message or otherwise, nominated)


def _held_by_queue(session: Session) -> dict[str, Quantities]:
    """Adds up what each queue's jobs hold, and those of the queues below it."""
    held = {name: Quantities() for name in session.queues}
    for job in session.jobs.values():
        for status in HOLDING:
            for task in job.among(status):
                held[job.queue].add(task.resreq)
                for parent in _above(session, job.queue):
                    held[parent].add(task.resreq)
    return held


def _above(session: Session, name: str) -> Iterator[str]:
    while ROOT in session.queues:
        name = session.queues[name].queue.parent or ROOT
        if name not in session.queues:
            return
        yield name
        if name == ROOT:
            return


def _listed(held: Quantities) -> dict[str, str]:
    scalars = {
        name: format_milli(1000 * int(amount) if name == PODS else int(amount))
        for name, amount in (held.scalars or {}).items()
    }
    return {CPU: format_milli(int(held.cpu)), MEMORY: format_bytes(int(held.memory)), **scalars}
