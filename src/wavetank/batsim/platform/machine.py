from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from wavetank.batsim.platform.power import Sleep
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.workloads.formats.batsim.wattage import Power


class State(StrEnum):
    """What a machine does, in the words of the protocol."""

    SLEEPING = "sleeping"
    SWITCHING_ON = "switching_on"
    SWITCHING_OFF = "switching_off"
    IDLE = "idle"
    COMPUTING = "computing"


class Machine:
    """A host: its state, the jobs on it, and the energy that it has consumed.

    `speeds` are of one core in each power state; `powers` is empty if energy is not simulated. `load` is the share of
    its cores that computes. Energy is added up when state or load change, so both are changed by methods.
    """

    __slots__ = (
        "_joules",
        "_load",
        "_since",
        "cores",
        "counts",
        "jobs",
        "name",
        "number",
        "powers",
        "properties",
        "pstate",
        "sleeps",
        "speeds",
        "state",
        "times",
        "zone_properties",
    )

    def __init__(
        self,
        number: int,
        name: str,
        speeds: tuple[float, ...],
        cores: int = 1,
        powers: tuple[Power, ...] = (),
        sleeps: Mapping[int, Sleep] | None = None,
        pstate: int = 0,
    ) -> None:
        self.number = number
        self.name = name
        self.speeds = speeds
        self.cores = cores
        self.powers = powers
        self.sleeps = sleeps or {}
        self.pstate = pstate
        self.properties: Mapping[str, str] = {}
        self.zone_properties: Mapping[str, str] = {}
        self.state = State.SLEEPING if pstate in self.sleeps else State.IDLE
        self.counts: Counter[State] = Counter([self.state])  # of a platform: machines in each state
        self.jobs: set[str] = set()
        self.times: Counter[State] = Counter()  # nanoseconds in each state
        self._load = 0.0
        self._joules = 0.0
        self._since: Nanoseconds = 0

    @property
    def speed(self) -> float:
        """Returns the speed of a core in the present power state, in flop/s."""
        return self.speeds[self.pstate]

    @property
    def watts(self) -> float:
        """Returns the present power."""
        return self.powers[self.pstate].at(self._load)

    @property
    def load(self) -> float:
        """Returns the share of its cores that computes."""
        return self._load

    def joules(self, now: Nanoseconds) -> float:
        """Returns the energy consumed since the start of the simulation."""
        self.settle(now)
        return self._joules

    def set_load(self, now: Nanoseconds, load: float) -> None:
        """Changes the load from now on."""
        self.settle(now)
        self._load = load

    def set_state(self, now: Nanoseconds, state: State, pstate: int | None = None) -> None:
        """Changes the state, and the power state if one is given, from now on."""
        self.settle(now)
        self.counts[self.state] -= 1
        self.counts[state] += 1
        self.state = state
        self.pstate = self.pstate if pstate is None else pstate

    def settle(self, now: Nanoseconds) -> None:
        """Adds up time and energy until now."""
        passed = now - self._since
        if passed:
            self.times[self.state] += passed
            if self.powers:
                self._joules += self.watts * passed / SECOND
            self._since = now
