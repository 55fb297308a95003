from __future__ import annotations

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.arrays import IntArray


@compiled()
def enter(
    requested: IntArray,
    nonzero: IntArray,
    pod_count: IntArray,
    amounts: IntArray,
    nonzero_cpu: int,
    nonzero_memory: int,
    slot: int,
    sign: int,
) -> None:
    """Adds what a pod takes of a node to the arrays of the NodeTable, or takes it away: one call instead of many."""
    for row in range(len(amounts)):
        requested[row, slot] += sign * amounts[row]
    nonzero[0, slot] += sign * nonzero_cpu
    nonzero[1, slot] += sign * nonzero_memory
    pod_count[slot] += sign
