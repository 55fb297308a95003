"""The numbers of nodes that change with every pod, as compiled code reads and writes them.

Compiled code is cached by the file that it stands in: whoever moves a column here has to touch the kernels of
scheduling.plugins as well.
"""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import IntArray

POD_COUNT, MAX_PODS, NONZERO, _, ALLOCATABLE, REQUESTED, LOAD = range(7)  # the columns of a Ledger
PER_RESOURCE = 3  # from one resource's ALLOCATABLE to that of the next; NONZERO has two, of CPU and memory


class Ledger:
    """What nodes have and what is asked of them: in `cells` a line per slot, since the numbers of a node go together.

    Everything else but `changed` is a view of that: for one column an array by slot, for those of resources one by row
    and slot. All of them are others when the ledger has been enlarged.
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
        self.load: IntArray = cells[:, LOAD::PER_RESOURCE].T  # what other programs than pods use

    def enlarge(self, slots: int, rows: int) -> None:
        """Makes room for so many slots and resources."""
        cells = np.zeros((slots, ALLOCATABLE + PER_RESOURCE * rows), np.int64)
        cells[: self.cells.shape[0], : self.cells.shape[1]] = self.cells
        self._lay_out(cells)
        self.changed = np.pad(self.changed, (0, slots - len(self.changed)))

    def empty(self) -> None:
        """Takes all pods off the nodes, without a change of what others see who share these cells."""
        self._lay_out(self.cells.copy())
        self.requested[:], self.nonzero[:], self.pod_count[:] = 0, 0, 0


@compiled()
def enter(cells: IntArray, slot: int, amounts: IntArray, sign: int) -> None:
    """Adds amounts, one per column, to a line of a ledger, or takes them away."""
    for column in range(len(amounts)):
        cells[slot, column] += sign * amounts[column]
