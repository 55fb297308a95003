from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wavetank.cluster.node import Node
from wavetank.cluster.resources import CPU, MEMORY, PODS
from wavetank.scheduling.framework.arrays import BoolArray, IntArray
from wavetank.scheduling.volcano.model.quantities import LEAST, Quantities
from wavetank.scheduling.volcano.model.statuses import PIPELINED, RELEASING
from wavetank.scheduling.volcano.model.task import Request, Task

FloatArray = npt.NDArray[np.float64]


class NodeBooks:
    """Volcano's own account of the nodes: what each can give, gives, gets back, and has promised, by row and slot.

    A task that is leaving still uses its resources, and counts as releasing as well; one that waits for others to
    leave uses nothing yet.
    """

    def __init__(self) -> None:
        self.rows = {CPU: 0, MEMORY: 1, PODS: 2}
        self.allocatable: FloatArray = np.zeros((3, 0))
        self.used: FloatArray = np.zeros((3, 0))
        self.releasing: FloatArray = np.zeros((3, 0))
        self.pipelined: FloatArray = np.zeros((3, 0))

    def copy(self) -> NodeBooks:
        """Returns books that can be written in without the others noticing."""
        new = NodeBooks()
        new.rows, new.allocatable = self.rows, self.allocatable
        new.used, new.releasing, new.pipelined = self.used.copy(), self.releasing.copy(), self.pipelined.copy()
        return new

    def set_node(self, slot: int, node: Node | None) -> None:
        """Takes over what a node has; nothing, if it is gone."""
        self.grow(slot + 1, len(self.rows))
        self.allocatable[:, slot] = 0.0
        if node is not None:
            quantities = Quantities.of(node.allocatable)
            self.learn(quantities)
            for name, amount in quantities.items():
                self.allocatable[self.rows[name], slot] = amount

    def learn(self, quantities: Quantities) -> None:
        """Makes rows for resources that are new."""
        for name in quantities.scalars or ():
            if name not in self.rows:
                self.rows[name] = len(self.rows)
                self.grow(self.used.shape[1], len(self.rows))

    def grow(self, slots: int, rows: int) -> None:
        """Makes room for so many slots and rows."""
        has_rows, has_slots = self.used.shape
        if rows > has_rows or slots > has_slots:
            more = ((0, max(0, rows - has_rows)), (0, max(16, 2 * slots) - has_slots if slots > has_slots else 0))
            self.allocatable, self.used = np.pad(self.allocatable, more), np.pad(self.used, more)
            self.releasing, self.pipelined = np.pad(self.releasing, more), np.pad(self.pipelined, more)

    def put(self, task: Task, slot: int, sign: int) -> None:
        """Enters a task by the status under which its node keeps it, or takes it out again."""
        rows, amounts = task.request.rows, sign * task.request.amounts[:, 0]
        if task.on_node == PIPELINED:
            self.pipelined[rows, slot] += amounts
            return
        self.used[rows, slot] += amounts
        if task.on_node == RELEASING:
            self.releasing[rows, slot] += amounts

    # who fits where

    def idle(self, rows: IntArray, slots: IntArray) -> FloatArray:
        """Returns what is free now."""
        cells = np.ix_(rows, slots)
        free: FloatArray = self.allocatable[cells] - self.used[cells]
        return free

    def future_idle(self, rows: IntArray, slots: IntArray) -> FloatArray:
        """Returns what will be free when those who are leaving have left, and those who are promised have come."""
        cells = np.ix_(rows, slots)
        free: FloatArray = self.allocatable[cells] - self.used[cells] + self.releasing[cells] - self.pipelined[cells]
        return free

    def fit_now(self, request: Request, slots: IntArray) -> BoolArray:
        """Tells on which nodes there is room now."""
        fits: BoolArray = np.all(request.amounts - self.idle(request.rows, slots) < LEAST, axis=0)
        return fits

    def fit_later(self, request: Request, slots: IntArray) -> BoolArray:
        """Tells on which nodes there will be room."""
        fits: BoolArray = np.all(request.amounts - self.future_idle(request.rows, slots) < LEAST, axis=0)
        return fits

    def lacking_later(self, request: Request, slots: IntArray) -> IntArray:
        """Returns for each node 0, or 1 + the row of the first resource of which there will not be enough."""
        short = request.amounts - self.future_idle(request.rows, slots) >= LEAST
        first: IntArray = np.where(short.any(axis=0), 1 + request.rows[short.argmax(axis=0)], 0)
        return first

    def total(self, slots: IntArray) -> Quantities:
        """Adds up what nodes can give."""
        return self._sum(self.allocatable, slots)

    def total_used(self, slots: IntArray) -> Quantities:
        """Adds up what nodes give."""
        return self._sum(self.used, slots)

    def _sum(self, array: FloatArray, slots: IntArray) -> Quantities:
        sums = array[:, slots].sum(axis=1)
        scalars = {name: float(sums[row]) for name, row in self.rows.items() if row > 1 and array[row, slots].any()}
        return Quantities(float(sums[0]), float(sums[1]), scalars or None)
