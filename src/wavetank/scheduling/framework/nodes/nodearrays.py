"""The numbers of nodes that change with every pod, as compiled code reads and writes them.

Numba caches compiled code by the file of the function: after a change of the columns here, touch the kernels of
scheduling.plugins as well.
"""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import IntArray

POD_COUNT, MAX_PODS, NONZERO, _, ALLOCATABLE, REQUESTED, LOAD = range(7)  # columns
PER_RESOURCE = 3  # from one resource's ALLOCATABLE to that of the next; NONZERO has two, of CPU and memory


class NodeArrays:
    """The capacity and use of nodes: in `cells` a row per slot, since the numbers of a node are read together.

    The other arrays except `changed` are views of it: by slot for one column, by row and slot for resources. They are
    replaced when the arrays are enlarged.
    """

    def __init__(self, rows: int) -> None:
        self.changed: IntArray = np.zeros(0, np.int64)  # the version at which each slot changed last
        self._lay_out(np.zeros((0, ALLOCATABLE + PER_RESOURCE * rows), np.int64))

    def _lay_out(self, cells: IntArray) -> None:
        self.cells = cells
        self.pod_count: IntArray = cells[:, POD_COUNT]
        self.max_pods: IntArray = cells[:, MAX_PODS]
        self.nonzero: IntArray = cells[:, NONZERO:ALLOCATABLE].T  # CPU and memory, with defaults for open requests
        self.allocatable: IntArray = cells[:, ALLOCATABLE::PER_RESOURCE].T
        self.requested: IntArray = cells[:, REQUESTED::PER_RESOURCE].T
        self.load: IntArray = cells[:, LOAD::PER_RESOURCE].T  # used by other programs than pods

    def enlarge(self, slots: int, rows: int) -> None:
        """Enlarges the arrays to this number of slots and resources."""
        cells = np.zeros((slots, ALLOCATABLE + PER_RESOURCE * rows), np.int64)
        cells[: self.cells.shape[0], : self.cells.shape[1]] = self.cells
        self._lay_out(cells)
        self.changed = np.pad(self.changed, (0, slots - len(self.changed)))

    def requested_part(self, cells: IntArray) -> IntArray:
        """Returns the requests of cells with these columns, by row and slot."""
        part: IntArray = cells[:, REQUESTED::PER_RESOURCE].T
        return part

    def empty(self) -> None:
        """Removes all pods from the nodes, in a copy of the cells: others that share them see no change."""
        self._lay_out(self.cells.copy())
        self.requested[:], self.nonzero[:], self.pod_count[:] = 0, 0, 0


@compiled()
def add_amounts(cells: IntArray, slot: int, amounts: IntArray, sign: int) -> None:
    """Adds amounts, one per column, to the row of a slot, or subtracts them."""
    for column in range(len(amounts)):
        cells[slot, column] += sign * amounts[column]
