from __future__ import annotations

import numpy as np

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS
from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.volcano.model.kernels import FloatArray, add_amounts, has_room, lacking_later
from wavetank.scheduling.volcano.model.quantities import Quantities
from wavetank.scheduling.volcano.model.statuses import PIPELINED, RELEASING
from wavetank.scheduling.volcano.model.task import Request, Task


class NodeResources:
    """The resources of nodes as in Volcano's NodeInfo: allocatable, used, releasing and pipelined, by row and slot.

    A releasing task still uses its resources, and counts as releasing as well; a pipelined one, which waits for others
    to be released, uses nothing yet.
    """

    def __init__(self) -> None:
        self.rows = {CPU: 0, MEMORY: 1, PODS: 2}
        self.allocatable: FloatArray = np.zeros((3, 0))
        self.used: FloatArray = np.zeros((3, 0))
        self.releasing: FloatArray = np.zeros((3, 0))
        self.pipelined: FloatArray = np.zeros((3, 0))

    def copy(self) -> NodeResources:
        """Returns a copy that can be changed independently."""
        new = NodeResources()
        new.rows, new.allocatable = self.rows, self.allocatable
        new.used, new.releasing, new.pipelined = self.used.copy(), self.releasing.copy(), self.pipelined.copy()
        return new

    def set_node(self, slot: int, node: Node | None) -> None:
        """Sets the allocatable resources of a node; none if it is deleted."""
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
        """Enlarges the arrays to this number of slots and rows."""
        has_rows, has_slots = self.used.shape
        if rows > has_rows or slots > has_slots:
            more = ((0, max(0, rows - has_rows)), (0, max(16, 2 * slots) - has_slots if slots > has_slots else 0))
            self.allocatable, self.used = np.pad(self.allocatable, more), np.pad(self.used, more)
            self.releasing, self.pipelined = np.pad(self.releasing, more), np.pad(self.pipelined, more)

    def put(self, task: Task, slot: int, sign: int) -> None:
        """Enters a task by the status under which its node keeps it, or takes it out again."""
        rows, amounts = task.request.rows, task.request.amounts
        if task.on_node == PIPELINED:
            add_amounts(self.pipelined, rows, amounts, slot, sign)
            return
        add_amounts(self.used, rows, amounts, slot, sign)
        if task.on_node == RELEASING:
            add_amounts(self.releasing, rows, amounts, slot, sign)

    # fitting

    def fit_now(self, request: Request, slots: IntArray) -> BoolArray:
        """Returns on which nodes the request fits now."""
        fits: BoolArray = has_room(self.allocatable, self.used, request.rows, request.amounts, slots)
        return fits

    def lacking_later(self, request: Request, slots: IntArray) -> IntArray:
        """Returns for each node 0, or 1 + the row of the first resource of which there will not be enough.

        Releasing resources count as free, and pipelined ones do not.
        """
        lacking: IntArray = lacking_later(
            self.allocatable, self.used, self.releasing, self.pipelined, request.rows, request.amounts, slots
        )
        return lacking

    def future_idle(self, slot: int) -> FloatArray:
        """Returns what will be free on one node, by row."""
        free: FloatArray = (
            self.allocatable[:, slot] - self.used[:, slot] + self.releasing[:, slot] - self.pipelined[:, slot]
        )
        return free

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
