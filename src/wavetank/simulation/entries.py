"""What an experiment tries: a scheduler, or several side by side."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.cluster.releases import Version
from wavetank.loop.processes.definition import ProcessDefinition
from wavetank.scheduling.attachable import Attachable


@dataclass(frozen=True)
class SchedulerEntry:
    """A scheduler under the name that results give it, or several that run side by side."""

    name: str
    schedulers: tuple[Attachable, ...]
    processes: tuple[ProcessDefinition, ...] = ()

    def notes(self, version: Version) -> list[str]:
        """Returns what the user should know of it: plugins that are not simulated, programs of another release."""
        ignored = [f"{self.name}: {note}" for scheduler in self.schedulers for note in scheduler.notes()]
        return [*ignored, *(note for process in self.processes for note in process.notes(version))]

    @property
    def description(self) -> str:
        """Says in a line what it is."""
        parts: list[Attachable | ProcessDefinition] = [*self.schedulers, *self.processes]
        return " + ".join(part.description for part in parts)
