from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import Nanoseconds


@dataclass(frozen=True, slots=True)
class Boot:
    """How a machine starts: after `node_after` its Node registers, `ready_after` later that is ready."""

    node_after: Nanoseconds
    ready_after: Nanoseconds = 0


class NoTemplateError(Exception):
    """The provider does not know what the node of a machine would have; the text says why."""


class MachineProvider(Protocol):
    """The cloud behind machines."""

    def boot(self, machine: Resource, serial: int) -> Boot | None:
        """Returns how a machine of its set's number `serial` starts, or None if it never does.

        NoTemplateError if nothing says what its node would have.
        """

    def halt(self, machine: Resource) -> Nanoseconds:
        """Returns how long it takes from a machine's deletion until its Node is gone."""

    def node(self, machine: Resource) -> Mapping[str, Any]:
        """Returns the Node of a machine: metadata (without name), spec and status."""
