"""Compiled loops over nodes and their topology domains; arrays are indexed by slot unless stated otherwise."""

from __future__ import annotations

import numpy as np

from wavetank.kernel.compiling import compiled
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray


@compiled()
def exclude(excluded: BoolArray, domains: IntArray, by_domain: BoolArray, without_domain: bool) -> None:
    """Excludes the slots of some domains, and those without a domain if `without_domain`."""
    for slot in range(len(excluded)):
        domain = domains[slot] if slot < len(domains) else -1
        if by_domain[domain] if domain >= 0 else without_domain:
            excluded[slot] = True


@compiled()
def at(numbers: IntArray, domains: IntArray, nodes: IntArray) -> IntArray:
    """Returns for each node, given by slot, the number of its domain; 0 without one."""
    found = np.zeros(len(nodes), np.int64)
    for i in range(len(nodes)):
        domain = domains[nodes[i]]
        if domain >= 0:
            found[i] = numbers[domain]
    return found


@compiled()
def add_up(domains: IntArray, size: int, numbers: IntArray) -> IntArray:
    """Adds up numbers by domain, of which there are `size`; those without a domain are left out."""
    totals = np.zeros(size, np.int64)
    for slot in range(min(len(domains), len(numbers))):
        if domains[slot] >= 0:
            totals[domains[slot]] += numbers[slot]
    return totals
