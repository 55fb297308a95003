from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.kernel.durations import Nanoseconds

Condition = dict[str, Any]

SUCCESS_MET, FAILURE_TARGET, COMPLETE, FAILED, SUSPENDED = (
    "SuccessCriteriaMet",
    "FailureTarget",
    "Complete",
    "Failed",
    "Suspended",
)
_COUNTS = ("active", "succeeded", "failed")


def new_condition(kind: str, reason: str, message: str, now: Nanoseconds, status: str = "True") -> Condition:
    """Returns a condition of a Job with the current time."""
    time = render_time(now)
    says = {"type": kind, "status": status, "lastProbeTime": time, "lastTransitionTime": time}
    return {**says, **({"reason": reason} if reason else {}), **({"message": message} if message else {})}


class JobStatus:
    """The status of a Job, changed in place before it is written."""

    def __init__(self, job: Resource) -> None:
        given: Mapping[str, Any] = job.manifest.get("status") or {}
        uncounted = given.get("uncountedTerminatedPods") or {}
        self.conditions: list[Condition] = [dict(condition) for condition in given.get("conditions") or ()]
        self.start_time: str | None = given.get("startTime")
        self.completion_time: str | None = given.get("completionTime")
        self.active = int(given.get("active") or 0)
        self.succeeded = int(given.get("succeeded") or 0)
        self.failed = int(given.get("failed") or 0)
        self.terminating: int | None = given.get("terminating")
        self.ready: int | None = given.get("ready")
        self.completed_indexes = str(given.get("completedIndexes") or "")
        self.failed_indexes: str | None = given.get("failedIndexes")
        self.uncounted_succeeded: list[str] = list(uncounted.get("succeeded") or ())
        self.uncounted_failed: list[str] = list(uncounted.get("failed") or ())

    def condition(self, kind: str) -> Condition | None:
        """Returns the condition of a type if it is True."""
        found = self._find(kind)
        return found if found is not None and found.get("status") == "True" else None

    def ensure(self, condition: Condition) -> bool:
        """Sets a condition unless it is unchanged, or new and False; returns whether it was set."""
        old = self._find(condition["type"])
        if old is None and condition["status"] == "False":
            return False
        if old is not None:
            if all(old.get(field) == condition.get(field) for field in ("status", "reason", "message")):
                return False
            old.clear()
            old.update(condition)
        else:
            self.conditions.append(condition)
        return True

    def count(self, with_finalizer: Collection[str]) -> bool:
        """Counts uncounted pods that have lost their finalizer; returns whether there were any."""
        still_succeeded = [uid for uid in self.uncounted_succeeded if uid in with_finalizer]
        still_failed = [uid for uid in self.uncounted_failed if uid in with_finalizer]
        self.succeeded += len(self.uncounted_succeeded) - len(still_succeeded)
        self.failed += len(self.uncounted_failed) - len(still_failed)
        changed = len(still_succeeded) + len(still_failed) < len(self.uncounted_succeeded) + len(self.uncounted_failed)
        self.uncounted_succeeded, self.uncounted_failed = still_succeeded, still_failed
        return changed

    def render(self) -> dict[str, Any]:
        """Returns the status as a document."""
        uncounted = {"succeeded": self.uncounted_succeeded, "failed": self.uncounted_failed}
        fields: dict[str, Any] = {
            "conditions": [dict(condition) for condition in self.conditions] or None,
            "startTime": self.start_time,
            "completionTime": self.completion_time,
            **{name: getattr(self, name) or None for name in _COUNTS},
            "terminating": self.terminating,
            "completedIndexes": self.completed_indexes or None,
            "failedIndexes": self.failed_indexes,
            "uncountedTerminatedPods": {name: list(uids) for name, uids in uncounted.items() if uids},
            "ready": self.ready,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def _find(self, kind: str) -> Condition | None:
        return next((condition for condition in self.conditions if condition.get("type") == kind), None)
