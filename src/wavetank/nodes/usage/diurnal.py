from __future__ import annotations

import math
from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds


@dataclass(frozen=True)
class DiurnalSeries:
    """A value that follows the day: mean · (1 + swing · cos(2π (t − peak) / period)), in thousandths."""

    mean: int
    swing: float
    peak: Nanoseconds
    period: Nanoseconds

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value at a time."""
        return round(self.mean * (1 + self.swing * math.cos(2 * math.pi * (time - self.peak) / self.period)))
