from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray


class Trace:
    """Records every step of a session as the recorder of the real one did."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.action = ""
        self.names: Sequence[str] = ()  # of the nodes, by slot
        self.places: dict[int, int] = {}  # of the slots in the list of nodes

    def note(self, op: str, **facts: str | int | Sequence[str]) -> None:
        """Records a step."""
        kept = {field: fact for field, fact in facts.items() if field == "in" or fact or fact == 0}
        self.steps.append({"a": self.action, "op": op, **{key: fact for key, fact in kept.items() if fact != []}})

    def scored(
        self, task: str, slots: IntArray, scores: Mapping[str, NumberArray], totals: NumberArray, chosen: int | None
    ) -> None:
        """Records a round of scoring, with nodes in the order of the list."""
        places = np.array([self.places[slot] for slot in slots.tolist()])
        order = np.argsort(places, kind="stable")
        best = slots[totals == totals.max()].tolist()
        step = {
            "a": self.action,
            "op": "score",
            "t": task,
            "n": places[order].tolist(),
            "s": {part: values[order].tolist() for part, values in scores.items()},
            "total": totals[order].tolist(),
            "best": sorted(self.names[slot] for slot in best),
        }
        self.steps.append(step if chosen is None else {**step, "chosen": self.names[chosen]})
