"""Compiled loops of the scores by soft spread constraints."""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray


@compiled()
def add_pods(
    raw: NumberArray,
    nodes: IntArray,
    ignored: BoolArray,
    domains: IntArray,
    counts: IntArray,
    by_node: bool,
    max_skew: int,
    weights: NumberArray,
) -> None:
    """Adds to the raw scores how many pods there are in each node's domain, weighted by the number of domains.

    `domains` are by slot, `counts` by domain, or else by node. Nodes without a domain count as one more.
    """
    size = 0
    seen = np.zeros(1 if by_node else len(counts) + 1, np.bool_)
    for i in range(len(nodes)):
        if not ignored[i]:
            if by_node:
                size += 1
            elif not seen[domains[nodes[i]] + 1]:
                seen[domains[nodes[i]] + 1] = True
                size += 1
    for i in range(len(nodes)):
        domain = domains[nodes[i]]
        if domain >= 0:
            raw[i] += counts[i if by_node else domain] * weights[size] + (max_skew - 1)


@compiled()
def turned_round(raw: NumberArray, ignored: BoolArray, half: float) -> IntArray:
    """Returns the scores from 0 to 100: the fewer pods the better, and nothing for nodes that are ignored.

    Raw scores are rounded down after `half` was added: 0.5 rounds to the nearest number.
    """
    rounded = np.zeros(len(raw), np.int64)
    lowest, highest = -1, 0
    for i in range(len(raw)):
        if not ignored[i]:
            rounded[i] = np.int64(np.floor(raw[i] + half))
            highest = max(highest, rounded[i])
            lowest = rounded[i] if lowest < 0 else min(lowest, rounded[i])
    for i in range(len(raw)):
        if ignored[i]:
            rounded[i] = 0
        else:
            rounded[i] = 100 * (highest + lowest - rounded[i]) // highest if highest else 100
    return rounded
