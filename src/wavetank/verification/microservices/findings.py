from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """What was recorded and what wavetank got."""

    name: str
    expected: object
    got: object
    equal: bool


class Findings:
    """What was compared in each aspect, and the first difference of each."""

    def __init__(self) -> None:
        self.aspects: dict[str, list[Pair]] = defaultdict(list)
        self.differing: dict[str, Pair] = {}

    def add(self, aspect: str, name: str, expected: object, got: object) -> None:
        """Compares two values."""
        self._add(aspect, Pair(name, expected, got, expected == got))

    def add_lines(self, aspect: str, name: str, expected: list[object], got: list[object]) -> None:
        """Compares two lists; of a difference only the first lines are kept."""
        equal = expected == got
        at = next((i for i, (one, other) in enumerate(zip(expected, got, strict=False)) if one != other), None)
        at = min(len(expected), len(got)) if at is None else at
        window = slice(at, at + 2)
        pair = Pair(f"{name} line {at}", _shown(expected, window), _shown(got, window), equal)
        self._add(aspect, pair)

    def add_close(self, aspect: str, name: str, expected: float, got: float, tolerance: float) -> None:
        """Compares two numbers with an absolute tolerance."""
        equal = abs(expected - got) <= tolerance
        self._add(aspect, Pair(name, f"{expected:.6g} ± {tolerance:.2g}", f"{got:.6g}", equal))

    def differing_in(self, aspects: Collection[str]) -> int:
        """Returns in how many of these aspects there is a difference, without aspects in how many of all."""
        return sum(not aspects or aspect in aspects for aspect in self.differing)

    def join(self, other: Findings) -> None:
        """Adds all that was compared elsewhere."""
        for aspect, pairs in other.aspects.items():
            self.add_pairs(aspect, pairs)

    def take(self, aspect: str) -> list[Pair]:
        """Takes out what was compared in an aspect."""
        self.differing.pop(aspect, None)
        return self.aspects.pop(aspect, [])

    def add_pairs(self, aspect: str, pairs: list[Pair]) -> None:
        """Adds what was compared elsewhere."""
        for pair in pairs:
            self._add(aspect, pair)

    def _add(self, aspect: str, pair: Pair) -> None:
        self.aspects[aspect].append(pair)
        if not pair.equal:
            self.differing.setdefault(aspect, pair)


def _shown(lines: list[object], window: slice) -> str:
    return f"{len(lines)} lines, {', '.join(str(line) for line in lines[window])}"
