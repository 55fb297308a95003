from __future__ import annotations

from dataclasses import dataclass

from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.node import Node

FIELDS = "k8ssim.wavetank.dev/"  # annotations of nodes with K8sSim's own fields
UNIT = 1e9  # flop/s of a core of calculationSpeed 1

_LEAST = 0.1  # smaller values count as missing


@dataclass(frozen=True, slots=True)
class Parameters:
    """K8sSim's parameters of a node: CPUs in thousandths, speed, creation of containers.

    The `speed` falls to `slowest` while more than the share `threshold` of the CPUs is requested; None if it does not.
    Creating a container takes `creation` seconds, plus `extra` for each other one; one becomes ready every `interval`.
    """

    milli_cpu: float
    speed: float = 1.0
    slowest: float | None = None
    threshold: float | None = None
    creation: float = 2.0
    extra: float = 0.5
    interval: int = 1

    def speed_at(self, requested: float) -> float:
        """Returns the speed when this many thousandths of CPUs are requested."""
        share = requested / self.milli_cpu if self.milli_cpu else 0.0
        if self.slowest is None or self.threshold is None:
            return self.speed
        if share > 0.99:
            return self.slowest
        if share > self.threshold and self.speed > self.slowest:
            return self.speed - (share - self.threshold) / (1 - self.threshold) * (self.speed - self.slowest)
        return self.speed


def parameters_of(node: Node) -> Parameters:
    """Reads K8sSim's fields of a node; the creation times have defaults only together."""
    milli_cpu, speed = float(node.allocatable.get(CPU, 0)), node.speed / UNIT
    slowest, threshold = _field(node, "minimumSpeed"), _field(node, "slowSpeedThreshold")
    times = [_field(node, f"ctnCreation{part}") for part in ("Time", "ExtraTime", "TimeInterval")]
    head = (milli_cpu, 1.0 if speed < _LEAST else speed)
    limits = (None if slowest < _LEAST else slowest, None if threshold < _LEAST else threshold)
    if all(time < _LEAST for time in times):
        return Parameters(*head, *limits)
    return Parameters(*head, *limits, times[0], times[1], int(times[2]))


def _field(node: Node, name: str) -> float:
    return float(node.annotations.get(FIELDS + name, 0))
