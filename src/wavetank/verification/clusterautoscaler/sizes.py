"""Compares the sizes of node groups over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.clusterautoscaler.recording import ClusterAutoscalerRecording, Replicas

CLOSE: Nanoseconds = 5_000_000
_CLOSE_IN_LONG_RUNS: Nanoseconds = 10_000_000
_LONG = "diurnal"

Change = tuple[Nanoseconds, dict[str, int]]  # at one instant, by group


class SizeComparison(NamedTuple):
    """The changes that are equal, how many were compared, and the first that differ: its place, recorded and ours."""

    equal: int
    compared: int
    place: int | None = None
    recorded: Change | None = None
    ours: Change | None = None

    @property
    def agrees(self) -> bool:
        """Returns whether all changes are equal."""
        return self.place is None


def compare_sizes(recording: ClusterAutoscalerRecording, replicas: Iterable[Replicas]) -> SizeComparison:
    """Compares the sizes of all groups.

    Their sum is compared, if another run of the real program agreed only in that; if its runs did not agree at all,
    any recorded run is right.
    """
    close = _CLOSE_IN_LONG_RUNS if recording.family == _LONG else CLOSE
    check = recording.check
    ours, expected = _changes(replicas, close), _changes(recording.outputs.replicas, close)
    if not check.decisions_seed_independent and check.totals_seed_independent:
        expected, ours = _totals(expected), _totals(ours)
    place = _first_difference(expected, ours, close)
    if place is not None and not check.decisions_seed_independent:
        runs = (_changes([tuple(each) for each in run["replicas"]], close) for run in check.variation.values())
        if any(_first_difference(run, ours, close) is None for run in runs):
            place = None
    if place is None:
        return SizeComparison(len(expected), len(expected))
    one, other = (changes[place] if place < len(changes) else None for changes in (expected, ours))
    return SizeComparison(place, max(len(expected), len(ours)), place, one, other)


def _changes(replicas: Iterable[Any], close: Nanoseconds) -> list[Change]:
    """Returns the changes of sizes by instant; their order inside one is free."""
    changes: list[tuple[Nanoseconds, Counter[str]]] = []
    for time, group, before, after in sorted(replicas):
        if not changes or time - changes[-1][0] > close:
            changes.append((time, Counter()))
        changes[-1][1][group] += after - before
    found = [(time, {group: delta for group, delta in sizes.items() if delta}) for time, sizes in changes]
    return [(time, sizes) for time, sizes in found if sizes]


def _first_difference(expected: Sequence[Change], got: Sequence[Change], close: Nanoseconds) -> int | None:
    for place, (one, other) in enumerate(zip_longest(expected, got)):
        if one is None or other is None or abs(one[0] - other[0]) > close or one[1] != other[1]:
            return place
    return None


def _totals(changes: Sequence[Change]) -> list[Change]:
    sums = [(time, {"all": sum(sizes.values())}) for time, sizes in changes]
    return [(time, sizes) for time, sizes in sums if sizes["all"]]
