"""Max-min fair rates by progressive filling."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from wavetank.network.link import Link

Demands = Mapping[Link, float]  # bytes on each link for one unit of progress


def fair_rates(flows: Sequence[Demands]) -> list[float]:
    """Returns the rate of each flow, in units of progress per second; infinite for one that uses no link.

    All rates rise together. When a link is full, the flows on it keep their rate, and the others rise further. So no
    flow can be faster without making one that is no faster slower.
    """
    rates = [math.inf] * len(flows)
    filling = _Filling(flows)
    rising = dict.fromkeys(i for i, demands in enumerate(flows) if demands)
    while rising:
        rate, stopped = filling.next_stop(rising)
        for i in stopped:
            rates[i] = rate
            del rising[i]
            filling.settle(i, flows[i], rate)
    return rates


class _Filling:
    """The links while rates rise: what is left of their bandwidth for flows whose rate is not settled yet."""

    def __init__(self, flows: Sequence[Demands]) -> None:
        self._left: dict[Link, float] = {}
        self._rising: dict[Link, dict[int, float]] = {}  # demands of the rising flows on shared links
        self._own: dict[int, float] = {}  # the highest rate that links without sharing allow
        for i, demands in enumerate(flows):
            for link, demand in demands.items():
                self._add(i, link, demand)

    def _add(self, flow: int, link: Link, demand: float) -> None:
        if link.shared:
            self._left.setdefault(link, link.bandwidth)
            self._rising.setdefault(link, {})[flow] = demand
        else:
            self._own[flow] = min(self._own.get(flow, math.inf), link.bandwidth / demand)

    def next_stop(self, rising: Mapping[int, None]) -> tuple[float, list[int]]:
        """Returns the next rate at which a link is full, and the rising flows on it."""
        rate = min((self._own[i] for i in rising if i in self._own), default=math.inf)
        stopped = [i for i in rising if self._own.get(i) == rate]
        for link, demands in self._rising.items():
            level = self._left[link] / sum(demands.values())
            if level < rate:
                rate, stopped = level, list(demands)
        return rate, stopped

    def settle(self, flow: int, demands: Demands, rate: float) -> None:
        """Takes what a flow uses from its links."""
        for link, demand in demands.items():
            if link.shared:
                self._left[link] = max(0.0, self._left[link] - rate * demand)
                del self._rising[link][flow]
                if not self._rising[link]:
                    del self._rising[link]
