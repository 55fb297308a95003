from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from wavetank.microservices.orchestration.pods import Pod


@dataclass(frozen=True, slots=True)
class Placement:
    """Nodes by the names of pods; new nodes with their CPU in thousandths of a core; names of removed nodes."""

    nodes: Mapping[str, str]
    new_nodes: Mapping[str, int] = field(default_factory=dict)
    removed_nodes: Sequence[str] = ()


class Placer(Protocol):
    """Finds nodes for pods in place of misim-orchestration's own schedulers."""

    def place(self, placed: Sequence[Pod], pending: Sequence[Pod]) -> Placement:
        """Returns nodes for the pending pods, as far as there are any."""
