"""MiSim's models of autoscalers: pure functions of the replicas and the mean utilization (1 is what pods request)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from wavetank.kernel.durations import SECOND, Nanoseconds

HPA, FAKE, SIMPLE_REACTIVE = "HPA", "Fake", "SimpleReactive"
MODELS = (HPA, FAKE, SIMPLE_REACTIVE)

_TOLERATED = (0.9, 1.1)  # of utilization ÷ target, both ends excluded
_MARGIN = 0.01  # by which SimpleReactive aims below its upper bound, and the least utilization that it counts with


class ScalingModel(Protocol):
    """Decides how many replicas a workload should have."""

    def decide(self, replicas: int, utilization: float, now: Nanoseconds) -> int:
        """Returns the wanted replicas; called once every sync period."""
        ...


@dataclass(frozen=True)
class TargetUtilization:
    """`HPA`: replicas in proportion to the utilization, without behavior, stabilization or readiness."""

    target: float
    least: int
    most: int

    def decide(self, replicas: int, utilization: float, now: Nanoseconds) -> int:
        """Returns the proportional size within the bounds; the present one if the ratio is close to 1."""
        ratio = utilization / self.target
        if _TOLERATED[0] < ratio < _TOLERATED[1]:
            return replicas
        return max(self.least, min(math.ceil(ratio * replicas), self.most))


@dataclass(frozen=True)
class UpAndDown:
    """`Fake`: up by `increment` while there are fewer replicas than `most`, otherwise down by `decrement`."""

    most: int
    increment: int
    decrement: int

    def decide(self, replicas: int, utilization: float, now: Nanoseconds) -> int:
        """Returns the next size, whatever the utilization."""
        return replicas + self.increment if replicas < self.most else max(replicas - self.decrement, 0)


class SimpleReactive:
    """`SimpleReactive`: up at once above the upper bound, down below the lower one after a time without changes."""

    def __init__(self, lower: float, upper: float, hold: Nanoseconds, least: int, most: int) -> None:
        self._lower = lower
        self._upper = upper
        self._hold = hold
        self._least = least
        self._most = most
        self._last: Nanoseconds = 0

    def decide(self, replicas: int, utilization: float, now: Nanoseconds) -> int:
        """Returns the size that brings the utilization between the bounds, within those of the replicas."""
        if replicas <= 0:
            wanted = 1
        elif utilization >= self._upper:
            wanted, self._last = math.ceil(replicas * (utilization / (self._upper - _MARGIN))), now
        elif utilization <= self._lower and replicas > 1 and now - self._last > self._hold:
            wanted, self._last = max(1, math.ceil(replicas * (max(_MARGIN, utilization) / self._lower))), now
        else:
            wanted = replicas
        return max(self._least, min(wanted, self._most))


def model_of(spec: Mapping[str, Any]) -> ScalingModel:
    """Returns the model that the spec of a ScalingModel describes."""
    least, most = int(spec["minReplicas"]), int(spec["maxReplicas"])
    if spec["model"] == FAKE:
        return UpAndDown(most, int(spec["increment"]), int(spec["decrement"]))
    if spec["model"] == SIMPLE_REACTIVE:
        hold = round(float(spec["holdTimeSeconds"]) * SECOND)
        return SimpleReactive(float(spec["lowerBound"]), float(spec["upperBound"]), hold, least, most)
    return TargetUtilization(float(spec["targetUtilization"]), least, most)
