"""The status of an autoscaler as the controller builds it and compares it with the one that is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.clock import Clock
from wavetank.quantity import parse_quantity

ABLE_TO_SCALE, SCALING_ACTIVE, SCALING_LIMITED = "AbleToScale", "ScalingActive", "ScalingLimited"

_QUANTITIES = ("value", "averageValue")

Json = dict[str, Any]


class Status:
    """A status in the making: begins as a copy of the present one, of which nothing is changed in place."""

    def __init__(self, present: Mapping[str, Any], clock: Clock) -> None:
        self._present = present
        self._clock = clock
        self._conditions: list[Json] = list(present.get("conditions") or ())
        self._rest: Json = {field: value for field, value in present.items() if field != "conditions"}

    def set_condition(self, kind: str, status: bool, reason: str, message: str) -> None:
        """Sets a condition; its time changes only with its status."""
        said = "True" if status else "False"
        for index, condition in enumerate(self._conditions):
            if condition.get("type") == kind:
                same = condition.get("status") == said
                if not same or condition.get("message") != message or condition.get("reason") != reason:
                    since = condition.get("lastTransitionTime") if same else self._time
                    self._conditions[index] = _condition(kind, said, since, reason, message)
                return
        self._conditions.append(_condition(kind, said, self._time, reason, message))

    def set_replicas(self, current: int, desired: int, metrics: list[Json] | None, rescaled: bool) -> None:
        """Replaces everything but the conditions and, unless the target was scaled, the time of the last scaling."""
        last = self._time if rescaled else self._present.get("lastScaleTime")
        self._rest = {"lastScaleTime": last} if last is not None else {}
        if current:
            self._rest["currentReplicas"] = current
        self._rest |= {"desiredReplicas": desired, "currentMetrics": metrics}

    def document(self) -> Json | None:
        """Returns the status as it is to be written, None if it says the same as the present one."""
        made = {"desiredReplicas": 0, "currentMetrics": None, **self._rest, "conditions": self._conditions}
        return None if _same(made, self._present) else made

    @property
    def desired_replicas(self) -> int:
        """Returns the desired replicas of the present status."""
        return int(self._present.get("desiredReplicas") or 0)

    @property
    def _time(self) -> str:
        return render_time(self._clock.now)


def _condition(kind: str, status: str, since: object, reason: str, message: str) -> Json:
    return {"type": kind, "status": status, "lastTransitionTime": since, "reason": reason, "message": message}


def _same(one: Any, other: Any, field: str = "") -> bool:
    """Compares as apimachinery's Semantic.DeepEqual does: quantities by amount, nothing like an empty value."""
    if one == other:
        return True
    if not one and not other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(_same(one.get(key), other.get(key), key) for key in {**one, **other})
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(*pair) for pair in zip(one, other, strict=True))
    if field in _QUANTITIES and isinstance(one, str) and isinstance(other, str):
        return parse_quantity(one) == parse_quantity(other)
    return False
