from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray


class Observer(Protocol):
    """Is called for every step of a session; a session without one keeps no tables."""

    def note(self, op: str, **facts: str | int | Sequence[str]) -> None:
        """Records one step: `t` is a task, `j` a job or a queue, `n` a node, `plugin` the plugin that decided."""

    def scored(
        self, task: str, slots: IntArray, scores: Mapping[str, NumberArray], totals: NumberArray, chosen: int | None
    ) -> None:
        """Records one round of scoring, with the weighted scores of each part, and the slot that was taken."""
