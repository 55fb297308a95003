from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.loop.completing import changes, scheduler_names

PATIENCE_S = 60.0  # how long a program may run in real time without getting quiet, unless the user says otherwise


@dataclass(frozen=True)
class ProcessDefinition:
    """A real scheduler, as a program that runs in the loop.

    `file` is its executable, built with the overlay; `version` its release of Kubernetes; `configuration` the user's
    KubeSchedulerConfiguration, which is completed when a run begins; `arguments` go behind ours.
    """

    name: str
    package: str
    version: str
    file: str
    configuration: Mapping[str, Any]
    arguments: tuple[str, ...] = ()
    patience_s: float = PATIENCE_S

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Returns the schedulerNames of the pods that it is responsible for."""
        return scheduler_names(self.configuration)

    @property
    def description(self) -> str:
        """Says in a line what it is, and what was changed in its configuration."""
        changed = ", ".join(changes(self.configuration))
        return f"{self.package} {self.version}, the real program in virtual time ({changed})"

    def notes(self, release: tuple[int, int]) -> list[str]:
        """Returns what the user should know: that it is of another release than the experiment."""
        own = tuple(int(part) for part in self.version.lstrip("v").split(".")[:2])
        if own == release:
            return []
        stated = ".".join(map(str, release))
        return [f"{self.name}: {self.package} is {self.version}, but kubernetesVersion is {stated}"]
