from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.kueue import ADMITTED, EVICTED, FINISHED, PREEMPTED, QUOTA_RESERVED, REQUEUED
from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.kernel.durations import SECOND, Nanoseconds

Condition = dict[str, Any]
_LONGEST_MESSAGE = 32 * 1024

PENDING, RESERVED, IS_ADMITTED, IS_FINISHED = "pending", "quotaReserved", "admitted", "finished"


class WorkloadStatus:
    """The status of a Workload, with the changes that are written with it."""

    def __init__(self, resource: Resource, now: Nanoseconds) -> None:
        given: Mapping[str, Any] = resource.manifest.get("status") or {}
        self.status: dict[str, Any] = dict(given)
        self._conditions: dict[str, Condition] = {each["type"]: each for each in given.get("conditions") or ()}
        self._generation = int((resource.manifest.get("metadata") or {}).get("generation") or 1)
        self._now = now

    def is_true(self, kind: str) -> bool:
        """Tells whether a condition is True."""
        found = self._conditions.get(kind)
        return found is not None and found["status"] == "True"

    def get(self, kind: str) -> Condition | None:
        """Returns a condition."""
        return self._conditions.get(kind)

    @property
    def state(self) -> str:
        """Returns pending, quotaReserved, admitted or finished."""
        if self.is_true(FINISHED):
            return IS_FINISHED
        if self.is_true(ADMITTED):
            return IS_ADMITTED
        return RESERVED if self.is_true(QUOTA_RESERVED) else PENDING

    def set(self, kind: str, true: bool, reason: str, message: str) -> bool:
        """Sets a condition; its time changes with its status only. Returns whether anything changed."""
        old = self._conditions.get(kind)
        new: Condition = {
            "type": kind,
            "status": "True" if true else "False",
            "reason": reason,
            "message": message[:_LONGEST_MESSAGE],
            "observedGeneration": self._generation,
            "lastTransitionTime": render_time(self._now),
        }
        if old is not None and old["status"] == new["status"]:
            new["lastTransitionTime"] = old["lastTransitionTime"]
        if old == new:
            return False
        self._conditions[kind] = new
        self.status["conditions"] = list(self._conditions.values())
        return True

    def remove(self, kind: str) -> None:
        """Removes a condition."""
        if self._conditions.pop(kind, None) is not None:
            self.status["conditions"] = list(self._conditions.values())

    # what several writers do

    def reserve(self, admission: Mapping[str, Any]) -> None:
        """Reserves quota; the workload is no longer evicted."""
        self.status["admission"] = dict(admission)
        self.status.pop("resourceRequests", None)
        self.set(QUOTA_RESERVED, True, "QuotaReserved", f"Quota reserved in ClusterQueue {admission['clusterQueue']}")
        for kind in (EVICTED, PREEMPTED):
            before = self.get(kind)
            if before is not None and before["status"] == "True":
                self.set(kind, False, "QuotaReserved", f"Previously: {before['message']}")

    def unreserve(self, reason: str, message: str) -> bool:
        """Gives quota back, or says why there is none; returns whether anything changed."""
        changed = self.set(QUOTA_RESERVED, False, reason, message)
        changed = self.status.pop("admission", None) is not None or changed
        return self.sync_admitted() or changed

    def sync_admitted(self) -> bool:
        """Sets whether the workload is admitted: it has quota and all its checks are ready."""
        reserved, ready, admitted = self.is_true(QUOTA_RESERVED), self.checks_ready, self.is_true(ADMITTED)
        if admitted == (reserved and ready):
            return False
        if admitted:
            self._note_execution()
        if reserved and ready:
            return self.set(ADMITTED, True, "Admitted", "The workload is admitted")
        if not reserved and not ready:
            says = "The workload has no reservation and not all checks ready"
            return self.set(ADMITTED, False, "NoReservationUnsatisfiedChecks", says)
        if not reserved:
            return self.set(ADMITTED, False, "NoReservation", "The workload has no reservation")
        return self.set(ADMITTED, False, "UnsatisfiedChecks", "The workload has not all checks ready")

    def evict(self, reason: str, message: str, cause: str = "") -> None:
        """Marks the workload as evicted; its checks begin anew."""
        full = f"{reason}DueTo{cause}" if reason == "Deactivated" and cause else reason
        self.set(EVICTED, True, full, message)
        self.reset_checks()
        stats = dict(self.status.get("schedulingStats") or {})
        evictions = [dict(each) for each in stats.get("evictions") or ()]
        for each in evictions:
            if each["reason"] == reason and each.get("underlyingCause", "") == cause:
                each["count"] += 1
                break
        else:
            evictions.append({"reason": reason, "underlyingCause": cause, "count": 1})
        self.status["schedulingStats"] = {**stats, "evictions": evictions}

    def requeued(self, true: bool, reason: str, message: str) -> bool:
        """Sets whether the workload may be queued again."""
        return self.set(REQUEUED, true, reason, message)

    def finish(self, reason: str, message: str) -> bool:
        """Marks the workload as finished."""
        return self.set(FINISHED, True, reason, message)

    # admission checks

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Returns the states of the admission checks."""
        return list(self.status.get("admissionChecks") or ())

    @property
    def checks_ready(self) -> bool:
        """Tells whether all checks of the workload are ready."""
        return all(each["state"] == "Ready" for each in self.status.get("admissionChecks") or ())

    def has_check(self, state: str) -> bool:
        """Tells whether any check is in a state."""
        return any(each["state"] == state for each in self.status.get("admissionChecks") or ())

    def reset_checks(self) -> None:
        """Sets all checks to Pending."""
        if "admissionChecks" in self.status:
            self.status["admissionChecks"] = [self._reset(each) for each in self.checks]

    def _reset(self, check: Mapping[str, Any]) -> dict[str, Any]:
        if check["state"] == "Pending":
            return dict(check)
        count = {"retryCount": int(check.get("retryCount") or 0) + 1} if check["state"] == "Retry" else {}
        after = check.get("requeueAfterSeconds")
        return {
            "name": check["name"],
            "state": "Pending",
            "message": f"Reset to Pending after eviction. Previously: {check['state']}",
            "lastTransitionTime": render_time(self._now),
            **({} if after is None else {"requeueAfterSeconds": after}),
            **count,
        }

    def _note_execution(self) -> None:
        condition = self._conditions[ADMITTED]
        since = parse_time(condition["lastTransitionTime"], "lastTransitionTime") or 0
        past = int(self.status.get("accumulatedPastExecutionTimeSeconds") or 0)
        self.status["accumulatedPastExecutionTimeSeconds"] = past + (self._now - since) // SECOND
