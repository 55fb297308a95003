from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.releases import Version, read_version, version_name
from wavetank.loop.processes.configuration import changes, scheduler_names
from wavetank.loop.timesteps.sync import TimestepSync

PATIENCE_S = 60.0  # how long a program may run in real time without getting quiet, unless the user says otherwise


@dataclass(frozen=True)
class ProcessDefinition:
    """A real scheduler, as a program that runs in the loop.

    `file` is its executable, built with the overlay; `version` its release of Kubernetes; `configuration` the user's
    KubeSchedulerConfiguration, which is completed when a run begins; `arguments` go behind ours.

    A program that is not `built` by us runs as it is: `file`, or any `command`. With `sync` it is not in lockstep but
    keeps step as that says. `listen` is where it finds the API; one with neither file nor command comes by itself.
    """

    name: str
    package: str
    version: str
    file: str
    configuration: Mapping[str, Any]
    arguments: tuple[str, ...] = ()
    patience_s: float = PATIENCE_S
    built: bool = True
    command: tuple[str, ...] = ()
    sync: TimestepSync | None = None
    listen: tuple[str, int] | None = None

    @property
    def exact(self) -> bool:
        """Tells whether it takes turns on a clock that it was built for, so that runs can be repeated exactly."""
        return self.built and self.sync is None

    @property
    def remote(self) -> bool:
        """Tells whether somebody else starts it."""
        return not (self.file or self.command)

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that it is responsible for."""
        return scheduler_names(self.configuration)

    @property
    def description(self) -> str:
        """Says in a line what it is, and what was changed in its configuration."""
        way = "in virtual time" if self.sync is None else "in timesteps"
        if self.remote:
            return f"a program that comes to {self._address}, {way}"
        if self.command:
            return f"{' '.join(self.command)}, the real program as it is, {way}"
        changed = ", ".join(changes(self.configuration))
        program = f"{self.package} {self.version}".strip()
        return f"{program}, the real program {way} ({changed})"

    @property
    def _address(self) -> str:
        return ":".join(map(str, self.listen or ()))

    def notes(self, release: Version) -> list[str]:
        """Returns what the user should know: that its runs differ, that it is of another release."""
        return [*self._repeatability(), *self._other_release(release)]

    def _repeatability(self) -> list[str]:
        if self.exact:
            return []
        why = "a program as it is, on virtual time" if self.sync is None else "a program in timesteps, by real time"
        return [f"{self.name}: not exactly repeatable: {why}"]

    def _other_release(self, release: Version) -> list[str]:
        if not self.version:
            return []
        if read_version(self.version) == release:
            return []
        return [f"{self.name}: {self.package} is {self.version}, but kubernetesVersion is {version_name(release)}"]


@dataclass(frozen=True)
class ManagerDefinition:
    """A kube-controller-manager that was built for the loop: its executable, and which of its controllers are on."""

    package: str
    version: str
    file: str
    controllers: Sequence[str]
    arguments: tuple[str, ...] = ()
    patience_s: float = PATIENCE_S

    @property
    def description(self) -> str:
        """Says in a line what it is."""
        return f"{self.package} {self.version}, the real program in virtual time ({', '.join(self.controllers)})"
