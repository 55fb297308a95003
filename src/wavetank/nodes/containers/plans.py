"""What the containers of a pod will do, one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.commands import CommandRun

INIT, MAIN, EPHEMERAL = "initContainers", "containers", "ephemeralContainers"


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """A probe: when it is made, and its results.

    `changes` are times since the start of the container with the result from then on; before the first it succeeds.
    `grace` is how long a container may take to stop that has failed the probe, if it is not the pod's.
    """

    delay: Nanoseconds = 0
    period: Nanoseconds = 10 * SECOND
    failures: int = 3
    successes: int = 1
    changes: tuple[tuple[Nanoseconds, bool], ...] = ()
    grace: Nanoseconds | None = None

    def succeeds(self, age: Nanoseconds) -> bool:
        """Returns the result for a container that started so long ago."""
        result = True
        for since, then in self.changes:
            if since <= age:
                result = then
        return result

    @property
    def always_succeeds(self) -> bool:
        """Tells whether the probe never fails."""
        return all(result for _, result in self.changes)


@dataclass(frozen=True, slots=True)
class ContainerRun:
    """One run of a container: its command; asked to stop, it needs `stop`, its preStop hook included.

    Each of the probes is None if the container has none.
    """

    command: CommandRun
    stop: Nanoseconds = 0
    startup: ProbePlan | None = None
    readiness: ProbePlan | None = None
    liveness: ProbePlan | None = None


class Terminated(msgspec.Struct, frozen=True):
    """The end of a container's run; `run` counts its runs from 0."""

    run: int
    exit_code: int
    started: Nanoseconds
    finished: Nanoseconds
    reason: str
    message: str = ""


def is_sidecar(given: Mapping[str, Any]) -> bool:
    """Tells whether an init container of this spec runs beside the others until the pod ends."""
    return bool(given.get("restartPolicy") == "Always")


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a container cannot be started: the reason and message of its waiting state."""

    reason: str
    message: str


class ContainerPlan(NamedTuple):
    """A container of a pod: its spec, and what returns the runs of such specs by their numbers.

    `part` is the list of the pod's spec in which it is: INIT, MAIN or EPHEMERAL.
    """

    given: Mapping[str, Any]
    runs: Callable[[Mapping[str, Any], int], ContainerRun | Obstacle]
    part: str

    def run(self, number: int) -> ContainerRun | Obstacle:
        """Returns a run of the container, or why it cannot be started now."""
        return self.runs(self.given, number)

    @property
    def name(self) -> str:
        """Returns the container's name."""
        return str(self.given.get("name"))

    @property
    def is_sidecar(self) -> bool:
        """Tells whether an init container runs beside the others until the pod ends."""
        return is_sidecar(self.given)

    def is_restarted(self, policy: str, exit_code: int) -> bool:
        """Tells whether the container is started again after it has ended, in a pod of this restart policy.

        A policy and rules of the container's own come first; an init container that has succeeded is done.
        """
        if self.part == EPHEMERAL:
            return False
        for rule in self.given.get("restartPolicyRules") or ():
            codes = rule.get("exitCodes") or {}
            listed = exit_code in (codes.get("values") or ())
            if listed == (codes.get("operator") == "In"):
                return True
        own = str(self.given.get("restartPolicy") or policy)
        if self.part == INIT and not self.is_sidecar:
            return own != "Never" and exit_code != 0
        return own == "Always" or (own == "OnFailure" and exit_code != 0)


@dataclass(frozen=True, slots=True)
class PodPlan:
    """The containers of a pod, by their lists in the pod's spec."""

    init: tuple[ContainerPlan, ...] = ()
    containers: tuple[ContainerPlan, ...] = ()
    ephemeral: tuple[ContainerPlan, ...] = ()
