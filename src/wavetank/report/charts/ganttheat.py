"""The share of CPU requested, by groups of nodes and bins of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wavetank.results.columns.decimals import Floats

MAX_ROWS = 240
COLUMNS = 480


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Pods that held `cpu` (milli-CPU) on a node, from `start` to `end` (seconds)."""

    node: NDArray[np.int64]
    start: Floats
    end: Floats
    cpu: Floats


def heat_map(occupancy: Occupancy, capacity: Floats, end: float) -> NDArray[np.uint8]:
    """Returns rows of nodes by bins of [0, end) seconds, 255 standing for all CPU requested.

    A row holds equally many neighbouring nodes, one if there are at most MAX_ROWS (the last may hold fewer).
    """
    group = nodes_per_row(len(capacity))
    rows = -(-len(capacity) // group)
    edges = np.linspace(0, end, COLUMNS + 1)
    row = occupancy.node // group
    held = _integral(row, occupancy.start, occupancy.cpu, rows, edges)
    held -= _integral(row, occupancy.end, occupancy.cpu, rows, edges)
    offered = np.add.reduceat(capacity, np.arange(0, len(capacity), group)) * (edges[1] - edges[0])
    share = np.diff(held, axis=1) / np.where(offered > 0, offered, np.inf)[:, None]
    return np.rint(np.clip(share, 0, 1) * 255).astype(np.uint8)


def nodes_per_row(nodes: int) -> int:
    """Returns how many nodes share a row of the heat map."""
    return -(-nodes // MAX_ROWS)


def _integral(row: NDArray[np.int64], since: Floats, cpu: Floats, rows: int, edges: Floats) -> Floats:
    """Returns per row and edge the CPU seconds held up to it, if everything were held from `since` on without end.

    Each holder adds cpu × (edge − since) to all later edges: two running sums, whatever the number of bins.
    """
    column = np.searchsorted(edges, since)
    level = np.zeros((rows, len(edges) + 1))
    offset = np.zeros_like(level)
    np.add.at(level, (row, column), cpu)
    np.add.at(offset, (row, column), cpu * since)
    held: Floats = edges * level.cumsum(axis=1)[:, :-1] - offset.cumsum(axis=1)[:, :-1]
    return held
