from __future__ import annotations

import numpy as np

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.volcano.config.arguments import Arguments
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.hooks import Hooks, Plugin, Scores
from wavetank.scheduling.volcano.session.session import Session


class Binpack(Plugin):
    """Prefers nodes that a task fills most: the weighted mean of (used + request) / allocatable, times 100.

    Only the resources that the task asks for and that have a weight count; where one of them does not fit, the score
    is 0. It reads Volcano's own NodeResources, in which releasing tasks still count.
    """

    name = "binpack"

    def __init__(self, arguments: Arguments) -> None:
        self._weight = arguments.integer("binpack.weight", 1)
        self._weights: dict[str, int] = {}
        for name in map(str.strip, arguments.text("binpack.resources").split(",")):
            if name:
                self._weights[name] = _not_negative(arguments.integer(f"binpack.resources.{name}", 1))
        self._weights[CPU] = _not_negative(arguments.integer("binpack.cpu", 1))
        self._weights[MEMORY] = _not_negative(arguments.integer("binpack.memory", 1))

    def open(self, session: Session) -> Hooks:
        """Takes part in scoring, unless its weight is 0."""
        self._session = session
        return Hooks(node_scores=self._score) if self._weight else Hooks()

    def _score(self, task: Task, slots: IntArray) -> Scores:
        nodes = self._session.node_resources
        score = np.zeros(len(slots))
        fits = np.ones(len(slots), np.bool_)
        weights = 0
        for name, amount in task.resreq.items():
            weight = self._weights.get(name)
            if not amount or weight is None:
                continue
            weights += weight
            row = nodes.rows[name]
            capacity, after = nodes.allocatable[row, slots], amount + nodes.used[row, slots]
            judged = (capacity != 0) & (weight != 0)
            fits &= ~judged | (after <= capacity)
            score += np.divide(after * weight, capacity, out=np.zeros(len(slots)), where=judged)
        if weights:
            score /= weights
        return {self.name: np.where(fits, score * (100 * self._weight), 0.0)}


def _not_negative(weight: int) -> int:
    return weight if weight >= 0 else 1
