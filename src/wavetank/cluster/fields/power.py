"""The power of a node: watts by its utilization, and what switching it off and on takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds

POWER = "wavetank.dev/power"  # an annotation of nodes: the fields of `power:` as JSON
POWER_STATE = "wavetank.dev/power-state"  # an annotation of nodes that are not on: one of the next three
BOOTING, SHUTTING_DOWN, OFF = "booting", "shutting-down", "off"
ON = "on"
SHAPES: Mapping[str, float] = {"linear": 1.0, "sqrt": 0.5, "square": 2.0, "cubic": 3.0}


@dataclass(frozen=True)
class Transition:
    """What it takes to boot or to shut down: nanoseconds, and joules in this time."""

    time: Nanoseconds = 0
    joules: float = 0.0

    @property
    def watts(self) -> float:
        """Returns the mean power meanwhile; 0 if it takes no time."""
        return self.joules * 1e9 / self.time if self.time else 0.0


@dataclass(frozen=True)
class PowerModel:
    """Watts of one node.

    With a `table`, watts at equal steps of utilization from 0 to 1 and straight lines between them; otherwise
    idle + (full - idle) × utilization ** exponent, in which `least` replaces idle as soon as there is load.
    """

    idle: float
    full: float
    exponent: float = 1.0
    table: tuple[float, ...] = ()
    standby: float = 0.0  # while it is off
    boot: Transition = Transition()
    shutdown: Transition = Transition()
    least: float | None = None  # with the least load, if that is more than idle

    def watts(self, utilization: float) -> float:
        """Returns the power at a utilization, which counts as 1 if it is more."""
        share = min(1.0, max(0.0, utilization))
        if self.table:
            position = share * (len(self.table) - 1)
            low = min(int(position), len(self.table) - 2)
            return self.table[low] + (self.table[low + 1] - self.table[low]) * (position - low)
        base = self.idle if self.least is None or not share else self.least
        rise: float = share**self.exponent
        return base + (self.full - base) * rise

    def watts_in(self, state: str, utilization: float) -> float:
        """Returns the power of a node that is on, off or between them."""
        if state == ON:
            return self.watts(utilization)
        return {OFF: self.standby, BOOTING: self.boot.watts, SHUTTING_DOWN: self.shutdown.watts}[state]


def read_power(annotation: str, cores: float) -> PowerModel:
    """Reads the annotation of a node with so many cores; InputError if it is none."""
    try:
        fields = json.loads(annotation)
        return power_model(fields, cores)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        problem = f"expected the fields of power: as JSON, got {annotation!r:.60}"
        raise InputError(problem, path=f"metadata.annotations.{POWER}") from None


def power_model(fields: Mapping[str, Any], cores: float) -> PowerModel:
    """Makes the model of a node from the fields of the annotation; times there are in nanoseconds."""
    table: Sequence[float] = fields.get("table", ())
    idle = float(fields.get("idle", table[0] if table else 0))
    full = float(fields.get("full", idle + float(fields.get("perCore", 0)) * cores))
    return PowerModel(
        idle,
        full,
        SHAPES[fields.get("shape", "linear")],
        tuple(map(float, table)),
        float(fields.get("standby", 0)),
        Transition(**fields.get("boot", {})),
        Transition(**fields.get("shutdown", {})),
        float(fields["least"]) if "least" in fields else None,
    )


def is_rising(table: Sequence[float]) -> bool:
    """Returns whether watts never fall with utilization."""
    return all(low <= high for low, high in pairwise(table))
