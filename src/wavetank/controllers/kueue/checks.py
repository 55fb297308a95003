"""Admission checks, of which a simulated controller answers those that name it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from wavetank.cluster.objects.groupkinds import ADMISSION_CHECK, WORKLOAD
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.conditions import PENDING, RESERVED, WorkloadStatus
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds, parse_duration

SIMULATED = "wavetank.dev/simulated"  # the controllerName
DELAY, ANSWER = "wavetank.dev/check-delay", "wavetank.dev/check-answer"
_ANSWERS = ("Ready", "Retry", "Rejected")


def read_check(check: Resource) -> tuple[Nanoseconds, str]:
    """Returns after what time a simulated check answers, and what; InputError for a bad annotation."""
    delay, answer = check.annotations.get(DELAY, "0s"), check.annotations.get(ANSWER, "Ready")
    path = "metadata.annotations"
    if answer not in _ANSWERS:
        raise InputError(f"expected one of {', '.join(_ANSWERS)}, got {answer!r:.60}", path=f"{path}.{ANSWER}")
    try:
        return parse_duration(delay), answer
    except InputError as error:
        raise error.inside(path=f"{path}.{DELAY}") from None


def controller_of_check(check: Resource) -> str:
    """Returns the controllerName of an AdmissionCheck."""
    return str((check.manifest.get("spec") or {}).get("controllerName") or "")


class AdmissionChecks:
    """The admission checks that ClusterQueues refer to; `refresh` is called when one of them changes."""

    def __init__(self, store: Store, refresh: Callable[[], None]) -> None:
        self._store = store
        store.subscribe(
            ADMISSION_CHECK,
            added=lambda new: refresh(),
            modified=lambda old, new: refresh(),
            deleted=lambda old: refresh(),
        )

    def problems(self, names: Mapping[str, object]) -> list[tuple[str, str]]:
        """Returns reason and message for checks that do not exist or that no controller answers."""
        missing = sorted(name for name in names if self._find(name) is None)
        inactive = sorted(name for name in names if name not in missing and not self._is_active(name))
        found = []
        if missing:
            found.append(("AdmissionCheckNotFound", f"references missing AdmissionCheck(s): {','.join(missing)}"))
        if inactive:
            found.append(("AdmissionCheckInactive", f"references inactive AdmissionCheck(s): {','.join(inactive)}"))
        return found

    def _find(self, name: str) -> Resource | None:
        return self._store.find(ADMISSION_CHECK, "", name)

    def _is_active(self, name: str) -> bool:
        check = self._find(name)
        conditions = ((check.manifest.get("status") or {}).get("conditions") or ()) if check is not None else ()
        return any(each["type"] == "Active" and each["status"] == "True" for each in conditions)


class SimulatedChecks:
    """Answers the checks of workloads that have quota, after their delay, beside the built-in and the real Kueue."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._asked: set[tuple[str, str]] = set()  # uid of the workload, name of the check
        self._store.subscribe(ADMISSION_CHECK, added=self._added)
        for check in self._store.list(ADMISSION_CHECK):
            self._added(check)
        self._store.subscribe(WORKLOAD, modified=self._modified)

    def _added(self, check: Resource) -> None:
        if controller_of_check(check) == SIMULATED:
            condition = {
                "type": "Active",
                "status": "True",
                "reason": "Active",
                "message": "The admission check is active",
                "lastTransitionTime": render_time(self._context.clock.now),
                "observedGeneration": 1,
            }
            self._context.client.update_status(check, {"conditions": [condition]})

    def _modified(self, old: Resource, new: Resource) -> None:
        """Plans the answers for a workload that has got quota, or begins anew."""
        checks = (new.manifest.get("status") or {}).get("admissionChecks")
        if not checks:
            return
        state = self._status_of(new).state
        for each in checks:
            asked = (new.uid, each["name"])
            if state == PENDING or each["state"] != "Pending":
                self._asked.discard(asked)
            elif state == RESERVED and asked not in self._asked:
                check = self._store.find(ADMISSION_CHECK, "", each["name"])
                if check is not None and controller_of_check(check) == SIMULATED:
                    self._asked.add(asked)
                    self._context.clock.after(read_check(check)[0], partial(self._answer, new.key, new.uid, check.name))

    def _answer(self, key: Key, uid: str, name: str) -> None:
        workload = self._store.find(WORKLOAD, *key)
        check = self._store.find(ADMISSION_CHECK, "", name)
        if workload is None or check is None or workload.uid != uid or (uid, name) not in self._asked:
            return
        self._asked.discard((uid, name))
        status = self._status_of(workload)
        if status.state != RESERVED:
            return
        answer = read_check(check)[1]
        status.status["admissionChecks"] = [
            self._answered(each, answer) if each["name"] == name else each for each in status.checks
        ]
        self._context.client.update_status(workload, status.status)

    def _answered(self, check: Mapping[str, Any], answer: str) -> dict[str, Any]:
        time = render_time(self._context.clock.now)
        return {**check, "state": answer, "message": "answered by the simulated check", "lastTransitionTime": time}

    def _status_of(self, workload: Resource) -> WorkloadStatus:
        return WorkloadStatus(workload, self._context.clock.now)
