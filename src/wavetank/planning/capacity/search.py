"""The fewest nodes, or the cheapest mix of types, on which everything fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice

from wavetank.cluster.objects.resource import Manifest
from wavetank.planning.capacity.demand import Demand, Trial
from wavetank.planning.capacity.headroom import NO_HEADROOM, Headroom
from wavetank.planning.nodes import Template
from wavetank.planning.simulatedcluster import ClusterOptions

_MOST_NODES = 100_000
_MOST_TRIALS = 80  # until a mix is good enough

Counts = tuple[int, ...]  # nodes of each type


@dataclass
class Search:
    """Looks for the nodes that a demand needs; whatever it returns was tried.

    `templates` are the types of nodes, which are put into the zones in turn. `trials` are all that were made.
    """

    demand: Demand
    templates: Sequence[Template]
    options: ClusterOptions
    zones: Sequence[str] = ()
    headroom: Headroom = NO_HEADROOM
    trials: dict[Counts, Trial] = field(default_factory=dict)

    def run(self) -> Counts | None:
        """Returns the fewest or cheapest nodes of each type; None if something fits on no number of them."""
        types = range(len(self.templates))
        alone = (self._fewest(lambda n, i=i: self._only(i, n), self._guess(i)) for i in types)  # type: ignore[misc]
        found = [counts for counts in alone if counts is not None]
        if not found and len(types) > 1:
            together = self._fewest(lambda n: (n,) * len(types), 1)
            found = [] if together is None else [together]
        if not found:
            return None
        best = min(found, key=self.cost)
        return best if len(types) == 1 else self._improved(best)

    def cost(self, counts: Counts) -> float:
        """Returns the price of nodes per hour, or their number if not all types have a price."""
        prices = self.prices
        return sum(counts) if prices is None else sum(n * price for n, price in zip(counts, prices, strict=True))

    @property
    def prices(self) -> list[float] | None:
        """Returns the prices of all types; None if one of them has none."""
        known = [price for template in self.templates if (price := template.price) is not None]
        return known if len(known) == len(self.templates) else None

    def nodes(self, counts: Counts) -> list[Manifest]:
        """Returns nodes of each type."""
        return [
            node
            for i, (template, number) in enumerate(zip(self.templates, counts, strict=True))
            for node in template.copies(islice(self._names(i), number), self.zones)
        ]

    def trial(self, counts: Counts) -> Trial:
        """Tries nodes, each number of them once."""
        if counts not in self.trials:
            self.trials[counts] = self.demand.try_on(self.nodes(counts), self.options, self.headroom)
        return self.trials[counts]

    def _names(self, i: int) -> Iterator[str]:
        prefix = "node" if len(self.templates) == 1 else f"type{i + 1}"
        return (f"{prefix}-{number}" for number in count(1))

    def _only(self, i: int, number: int) -> Counts:
        return tuple(number if j == i else 0 for j in range(len(self.templates)))

    def _guess(self, i: int) -> int:
        """Returns how many nodes of a type the requests need at least."""
        has = self.templates[i].node.allocatable
        needs = [-(-amount // has[name]) for name, amount in self.demand.requests.items() if has.get(name)]
        return max([1, *needs])

    # one number

    def _fewest(self, counts: Callable[[int], Counts], guess: int) -> Counts | None:
        """Returns the fewest that fit: tries more and more from a guess on, then halves the interval."""
        lowest, number, step = guess - 1, guess, 1
        last: Trial | None = None
        while not (trial := self.trial(counts(number))).fits:
            hopeless = last is not None and last.pending.keys() <= trial.pending.keys() and number > 2 * guess
            if hopeless or number >= _MOST_NODES:
                return None
            last, lowest = trial, number
            number, step = min(number + step, _MOST_NODES), 2 * step
        if lowest == guess - 1:  # the guess fits: it may have been too high
            lowest = 0
        return counts(self._bisected(lowest, number, counts))

    def _bisected(self, fails: int, fits: int, counts: Callable[[int], Counts]) -> int:
        """Returns the smallest number between one that fails (0 is not tried) and one that fits."""
        if fails == 0 and fits > 1 and not self.trial(counts(fits - 1)).fits:
            return fits
        while fits - fails > 1:
            middle = (fits + fails) // 2
            if self.trial(counts(middle)).fits:
                fits = middle
            else:
                fails = middle
        return fits

    # a mix

    def _improved(self, best: Counts) -> Counts:
        """Makes a mix cheaper as long as a single step does: fewer of one type, or some of another in their place."""
        improved = True
        while improved and len(self.trials) < _MOST_TRIALS:
            improved = False
            for candidate in self._cheaper(best):
                if len(self.trials) >= _MOST_TRIALS:
                    break
                if self.trial(candidate).fits:
                    best, improved = candidate, True
                    break
        return best

    def _cheaper(self, counts: Counts) -> Iterator[Counts]:
        """Yields mixes that cost less, large steps first: fewer of a type, alone or with more of another."""
        prices = self.prices or [1.0] * len(counts)
        for step in _steps(max(counts)):
            for i, number in enumerate(counts):
                if not 0 < step <= number:
                    continue
                fewer = [n - step if j == i else n for j, n in enumerate(counts)]
                if any(fewer):
                    yield tuple(fewer)
                for j, price in enumerate(prices):
                    more = _below(step * prices[i], price) if j != i else 0
                    if more:
                        yield tuple(n + more if k == j else n for k, n in enumerate(fewer))


def _steps(most: int) -> list[int]:
    """Returns by how much a number may shrink at once: eighths of the largest, and a few; the largest first."""
    return sorted({most * eighths // 8 for eighths in range(1, 9)} | {1, 2, 3}, reverse=True)


def _below(amount: float, price: float) -> int:
    """Returns how many of a price cost less than an amount."""
    number = int(amount / price) if price > 0 else 0
    return number - 1 if number * price >= amount - 1e-9 else number
