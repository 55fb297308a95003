"""The status of a Deployment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.controllers.deployments.draft import (
    AVAILABLE,
    PROGRESSING,
    REPLICA_FAILURE,
    Draft,
    a_condition,
    drop_condition,
    set_condition,
)
from wavetank.controllers.deployments.replicasets import count, total_size
from wavetank.controllers.workloads.conditions import Condition, find_condition
from wavetank.kernel.durations import SECOND, Nanoseconds

TIMED_OUT, COMPLETE = "ProgressDeadlineExceeded", "NewReplicaSetAvailable"
_CARRIED = ("collisionCount",)


def plain_status(
    draft: Draft, sets: Sequence[Resource | None], new: Resource | None, now: Nanoseconds
) -> dict[str, Any]:
    """Counts the pods, and sets the condition Available."""
    available = count(sets, "availableReplicas")
    counts = {
        "observedGeneration": draft.generation,
        "replicas": count(sets, "replicas"),
        "updatedReplicas": count([new], "replicas"),
        "readyReplicas": count(sets, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(total_size(sets) - available, 0),
    }
    status: dict[str, Any] = {field: number for field, number in counts.items() if number}
    terminating = _terminating(sets)
    if terminating is not None:
        status["terminatingReplicas"] = terminating
    status |= {field: draft.status[field] for field in ("conditions", *_CARRIED) if field in draft.status}
    enough = available >= draft.replicas - draft.max_unavailable
    reason = "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable"
    message = f"Deployment {'has' if enough else 'does not have'} minimum availability."
    set_condition(status, a_condition(AVAILABLE, str(enough), reason, message, render_time(now)))
    return status


def rollout_status(
    draft: Draft, sets: Sequence[Resource | None], new: Resource | None, now: Nanoseconds
) -> dict[str, Any]:
    """Adds the conditions Progressing and ReplicaFailure."""
    status = plain_status(draft, sets, new, now)
    if draft.deadline_s is None:
        drop_condition(status, PROGRESSING)
    elif not _was_complete(draft, status):
        _tell_progress(draft, status, new, now)
    failure = _failure(sets, new)
    if failure is None:
        drop_condition(status, REPLICA_FAILURE)
    else:
        set_condition(status, failure)
    return status


def is_complete(draft: Draft, status: Mapping[str, Any]) -> bool:
    """Tells whether all pods have the new template and are available."""
    numbers = (status.get(field, 0) for field in ("updatedReplicas", "replicas", "availableReplicas"))
    return all(number == draft.replicas for number in numbers) and (
        status.get("observedGeneration", 0) >= draft.generation
    )


def next_progress_check(draft: Draft, now: Nanoseconds) -> Nanoseconds | None:
    """Returns the time until the progress deadline has to be checked; None if never."""
    condition = draft.condition(PROGRESSING)
    if draft.deadline_s is None or condition is None:
        return None
    if is_complete(draft, draft.status) or condition["reason"] == TIMED_OUT:
        return None
    return max(_updated(condition) + draft.deadline_s * SECOND - now, 0) + SECOND


def _was_complete(draft: Draft, status: Mapping[str, Any]) -> bool:
    condition = draft.condition(PROGRESSING)
    same = status.get("replicas", 0) == status.get("updatedReplicas", 0)
    return same and condition is not None and condition["reason"] == COMPLETE


def _tell_progress(draft: Draft, status: dict[str, Any], new: Resource | None, now: Nanoseconds) -> None:
    who = f'Deployment "{draft.resource.name}"' if new is None else f'ReplicaSet "{new.name}"'
    time = render_time(now)
    if is_complete(draft, status):
        message = f"{who} has successfully progressed."
        set_condition(status, a_condition(PROGRESSING, "True", COMPLETE, message, time))
    elif _has_progressed(draft.status, status):
        condition = dict(a_condition(PROGRESSING, "True", "ReplicaSetUpdated", f"{who} is progressing.", time))
        present = draft.condition(PROGRESSING)
        if present is not None and present["status"] == "True":
            condition["lastTransitionTime"] = present["lastTransitionTime"]
        drop_condition(status, PROGRESSING)  # progress resets its time
        set_condition(status, condition)
    elif _has_timed_out(draft, status, now):
        message = f"{who} has timed out progressing."
        set_condition(status, a_condition(PROGRESSING, "False", TIMED_OUT, message, time))


def _has_progressed(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    before = old.get("replicas", 0) - old.get("updatedReplicas", 0)
    after = new.get("replicas", 0) - new.get("updatedReplicas", 0)
    more = ("updatedReplicas", "readyReplicas", "availableReplicas")
    return after < before or any(new.get(field, 0) > old.get(field, 0) for field in more)


def _has_timed_out(draft: Draft, status: Mapping[str, Any], now: Nanoseconds) -> bool:
    condition = find_condition(status.get("conditions") or (), PROGRESSING)
    if condition is None or draft.deadline_s is None or condition["reason"] == COMPLETE:
        return False
    return condition["reason"] == TIMED_OUT or _updated(condition) + draft.deadline_s * SECOND < now


def _updated(condition: Condition) -> Nanoseconds:
    return parse_time(condition["lastUpdateTime"], "lastUpdateTime") or 0


def _terminating(sets: Sequence[Resource | None]) -> int | None:
    """Returns the number of terminating pods; None if a ReplicaSet does not report it."""
    total = 0
    for status in (each.manifest.get("status") or {} for each in sets if each is not None):
        number = status.get("terminatingReplicas")
        if number is None and status.get("observedGeneration"):
            return None
        total += number or 0
    return total


def _failure(sets: Sequence[Resource | None], new: Resource | None) -> Condition | None:
    """Returns the ReplicaFailure condition of a ReplicaSet, that of the new one first."""
    for each in (new, *sets):
        conditions = ((each.manifest.get("status") or {}).get("conditions") or ()) if each is not None else ()
        found = find_condition(conditions, REPLICA_FAILURE)
        if found is not None:
            return {
                "type": REPLICA_FAILURE,
                "status": found["status"],
                "lastUpdateTime": found["lastTransitionTime"],
                "lastTransitionTime": found["lastTransitionTime"],
                "reason": found["reason"],
                "message": found["message"],
            }
    return None
