from __future__ import annotations

from dataclasses import dataclass

from wavetank.microservices.model.actions import Action
from wavetank.microservices.model.load import Generator


@dataclass(frozen=True, slots=True)
class ServiceExperiment:
    """Load and actions on an application; `duration` is in seconds, None without an end."""

    generators: tuple[Generator, ...] = ()
    actions: tuple[Action, ...] = ()
    duration: float | None = None
    seed: int | None = None
    name: str = ""
