"""Dominant resource shares of ClusterQueues and cohorts, by which Kueue shares fairly."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from wavetank.controllers.kueue.quota.nodes import CohortNode, QuotaNode


class Share(NamedTuple):
    """The largest share, in thousandths, that a node borrows of what its parent could lend of any resource."""

    ratio: float
    weight: float

    @property
    def weighted(self) -> float:
        """Returns the ratio divided by the weight; infinite for a weight of 0."""
        if self.ratio == 0:
            return 0.0
        return self.ratio / self.weight if self.weight else inf

    def compare(self, other: Share) -> int:
        """Returns -1, 0 or 1; nodes with a weight of 0 that borrow are above all others."""
        mine, its = self.weighted, other.weighted
        if mine == its == inf:
            mine, its = self.ratio, other.ratio
        return (mine > its) - (mine < its)


BELOW_ALL = Share(-1.0, 1.0)


def share_of(node: QuotaNode) -> Share:
    """Returns the share of a node; 0 for one without a parent."""
    if node.parent is None:
        return Share(0.0, node.weight)
    borrowed: dict[str, int] = {}
    for fr, quota in node.subtree.items():
        excess = node.usage.get(fr, 0) - quota
        if excess > 0:
            borrowed[fr[1]] = borrowed.get(fr[1], 0) + excess
    if not borrowed:
        return Share(0.0, node.weight)
    lendable = _lendable(node.parent)
    ratios = [amount * 1000.0 / lendable[name] for name, amount in borrowed.items() if lendable.get(name, 0) > 0]
    return Share(max(ratios, default=0.0), node.weight)


def _lendable(cohort: CohortNode) -> dict[str, int]:
    """Returns what the cohort could use of each resource, all flavors together; kept until quotas change."""
    if cohort.lendable is None:
        amounts: dict[str, int] = {}
        for fr in cohort.root.subtree:
            amounts[fr[1]] = amounts.get(fr[1], 0) + cohort.potential(fr)
        cohort.lendable = amounts
    return cohort.lendable
