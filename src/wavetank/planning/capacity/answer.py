"""The answer of a search for capacity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wavetank.planning.capacity.demand import Trial
from wavetank.planning.capacity.search import Counts, Search
from wavetank.words import plural


@dataclass(frozen=True)
class TypeCount:
    """How many nodes of a type are needed; `price` is that of one per hour."""

    name: str
    count: int
    price: float | None


@dataclass(frozen=True)
class CapacityAnswer:
    """The nodes that a scheduler needs; `types` is empty if something fits on no number of them.

    `binding` are the pods that have no node with one node less, or that never fit, with reasons; `short` says with how
    many nodes. `trials` are (nodes, pending pods) of everything that was tried, by the number of nodes.
    """

    scheduler: str
    types: Sequence[TypeCount]
    binding: dict[str, str]
    short: str
    why: str
    trials: Sequence[tuple[str, int]]
    fits: bool

    @property
    def nodes(self) -> int:
        """Returns the number of nodes."""
        return sum(each.count for each in self.types)

    @property
    def price(self) -> float | None:
        """Returns what an hour costs; None if a price is not known."""
        prices = [each.price for each in self.types]
        if not self.types or any(price is None for price in prices):
            return None
        return sum(each.count * (each.price or 0) for each in self.types)

    def data(self) -> dict[str, Any]:
        """Returns the answer for JSON."""
        return {
            "scheduler": self.scheduler,
            "fits": self.fits,
            "nodes": self.nodes,
            "types": [{"type": each.name, "nodes": each.count, "price": each.price} for each in self.types],
            "price_per_hour": self.price,
            "binding": [{"pod": pod, "reason": reason} for pod, reason in self.binding.items()],
            "at": self.short,
            "why": self.why,
            "trials": [{"nodes": nodes, "pending": pending} for nodes, pending in self.trials],
        }


@dataclass(frozen=True)
class CapacityReport:
    """The answers of all schedulers to one question."""

    question: str
    headroom: str
    answers: Sequence[CapacityAnswer]
    notes: Sequence[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Returns the report for JSON."""
        return {
            "question": self.question,
            "headroom": self.headroom,
            "answers": [answer.data() for answer in self.answers],
            "notes": list(self.notes),
        }


def answer_of(search: Search, found: Counts | None) -> CapacityAnswer:
    """Says what a search has found, and what keeps it from fewer nodes."""
    named = search.options.schedulers[0].name
    made = sorted(search.trials.items(), key=lambda item: (sum(item[0]), item[0]))
    trials = [(" + ".join(map(str, counts)), len(trial.pending)) for counts, trial in made]
    if found is None:
        counts, trial = max(search.trials.items(), key=lambda item: sum(item[0]))
        return CapacityAnswer(named, (), trial.pending, _text(search, counts), trial.why, trials, fits=False)
    short, failed = _one_less(search, found)
    types = [
        TypeCount(template.name, number, template.price)
        for template, number in zip(search.templates, found, strict=True)
    ]
    return CapacityAnswer(named, types, failed.pending, short, failed.why, trials, fits=True)


def _one_less(search: Search, found: Counts) -> tuple[str, Trial]:
    """Returns the trial with one node less, of the type that is most expensive among those of which there are some."""
    fewer = [tuple(n - (j == i) for j, n in enumerate(found)) for i, number in enumerate(found) if number]
    tried = [counts for counts in fewer if sum(counts) and not search.trial(counts).fits]
    if not tried:
        return "", Trial({})
    counts = min(tried, key=lambda each: len(search.trials[each].pending))
    return _text(search, counts), search.trials[counts]


def _text(search: Search, counts: Counts) -> str:
    if len(counts) == 1:
        return f"{counts[0]} {plural(counts[0], 'node')}"
    return " and ".join(f"{n} × {each.name}" for n, each in zip(counts, search.templates, strict=True) if n)
