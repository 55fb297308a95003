from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration

PREFIX = "horizontal-pod-autoscaler-"


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of the controller, named as kube-controller-manager's flags --horizontal-pod-autoscaler-*.

    Durations are in nanoseconds; `tolerance` is the distance of the usage ratio from 1 that is left alone.
    """

    sync_period: Nanoseconds = 15 * SECOND
    downscale_stabilization: Nanoseconds = 300 * SECOND
    tolerance: float = 0.1
    cpu_initialization_period: Nanoseconds = 300 * SECOND
    initial_readiness_delay: Nanoseconds = 30 * SECOND

    @classmethod
    def from_flags(cls, flags: Mapping[str, object], path: str = "") -> Configuration:
        """Reads flags by their full names, without the dashes before them; durations as Go writes them.

        Flags of other controllers are ignored; one of this controller that is unknown is an InputError.
        """
        names = {PREFIX + field.name.replace("_", "-"): field.name for field in fields(cls)}
        given: dict[str, Any] = {}
        for flag, value in flags.items():
            if not flag.startswith(PREFIX):
                continue
            if flag not in names:
                raise InputError(f"unknown flag {flag!r}, expected one of {', '.join(names)}", path=path)
            where = f"{path}.{flag}" if path else flag
            given[names[flag]] = (
                _read_tolerance(value, where) if names[flag] == "tolerance" else parse_duration(value, path=where)
            )
        return cls(**given)

    def __post_init__(self) -> None:
        if self.sync_period <= 0:
            raise InputError("the sync period must be above 0")


def _read_tolerance(value: object, path: str) -> float:
    try:
        tolerance = float(str(value))
    except ValueError:
        tolerance = math.nan
    if not tolerance >= 0:
        raise InputError(f"expected a number of 0 or more, got {value!r:.60}", path=path)
    return tolerance
