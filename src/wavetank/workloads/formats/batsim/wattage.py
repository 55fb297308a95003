"""Power of a host by its power state and load, as SimGrid defines it."""

from __future__ import annotations

import re
from typing import NamedTuple

from wavetank.errors import InputError
from wavetank.workloads.formats.batsim.hosts import Host

WATTAGE = "wattage_per_state"

_NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?")


class Power(NamedTuple):
    """Watts of one power state: without load, with the least load, and with all cores busy."""

    idle: float
    epsilon: float
    full: float

    def at(self, load: float) -> float:
        """Returns the watts at a load of 0 to 1."""
        return self.epsilon + (self.full - self.epsilon) * load if load > 0 else self.idle


def powers_of(host: Host) -> tuple[Power, ...]:
    """Reads the watts of each power state: `idle:full` or `idle:epsilon:full`, separated by commas."""
    path = f"{host.path}.{WATTAGE}"
    if WATTAGE not in host.properties:
        raise InputError("energy needs the watts of each power state, such as 95.0:190.738", path=path)
    powers = tuple(_power(text, path) for text in host.properties[WATTAGE].split(","))
    if len(powers) != len(host.speed.split(",")):
        raise InputError(f"expected as many states as speeds, {len(host.speed.split(','))}", path=path)
    return powers


def _power(text: str, path: str) -> Power:
    watts = [float(part) for part in map(str.strip, text.split(":")) if _NUMBER.fullmatch(part)]
    if len(watts) not in (2, 3) or len(watts) != text.count(":") + 1:
        raise InputError(f"expected watts such as 95.0:190.738 or 95.0:96.0:190.738, got {text!r:.60}", path=path)
    return Power(watts[0], watts[1] if len(watts) == 3 else watts[0], watts[-1])
