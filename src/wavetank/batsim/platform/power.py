"""Sleep states of a host, as Batsim defines them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from wavetank.errors import InputError
from wavetank.workloads.formats.batsim.hosts import Host

SLEEP = "sleep_pstates"


class Sleep(NamedTuple):
    """A state without computation, and the virtual states in which a host falls asleep and wakes up."""

    falling: int
    waking: int


def sleeps_of(host: Host) -> Mapping[int, Sleep]:
    """Reads the sleep states: `sleep:falling:waking`, separated by commas, in the order of Batsim's code."""
    path, states = f"{host.path}.{SLEEP}", len(host.speed.split(","))
    sleeps = {}
    for triple in filter(None, map(str.strip, host.properties.get(SLEEP, "").split(","))):
        numbers = [int(part) for part in map(str.strip, triple.split(":")) if re.fullmatch(r"\d{1,4}", part)]
        if len(numbers) != 3 or max(numbers) >= states:
            raise InputError(
                f"expected three of the {states} power states, such as 13:14:15, got {triple!r:.60}", path=path
            )
        sleeps[numbers[0]] = Sleep(numbers[1], numbers[2])
    return sleeps
