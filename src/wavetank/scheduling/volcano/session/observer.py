from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray


class Observer(Protocol):
    """Somebody who is told of every step of a session; a session without one keeps no tables."""

    def note(self, op: str, **facts: str | int | Sequence[str]) -> None:
        """Tells of one step: `t` is a task, `j` a job or a queue, `n` a node, `plugin` who said it."""

    def scored(
        self, task: str, slots: IntArray, scores: Mapping[str, NumberArray], totals: NumberArray, chosen: int | None
    ) -> None:
        """Tells of one round of scoring, with the weighted scores of each part, and the slot that was taken."""
