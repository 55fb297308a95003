"""Compares what wavetank's autoscaler did with what the real one did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.clusterautoscaler.aspects import OF_LOOPS, SIZES
from wavetank.verification.clusterautoscaler.freerun import Observations, run_freely
from wavetank.verification.clusterautoscaler.recording import ClusterAutoscalerRecording
from wavetank.verification.decisions.agreement import Agreement
from wavetank.verification.decisions.replay import Mismatch

_CLOSE: Nanoseconds = 5_000_000
_CLOSE_IN_LONG_RUNS: Nanoseconds = 10_000_000
_LONG = "diurnal"

Json = dict[str, Any]
Change = tuple[Nanoseconds, Json]  # at one instant, by group


def compare(recording: ClusterAutoscalerRecording, file: str) -> tuple[Agreement, list[Mismatch]]:
    """Runs a scenario freely; `file` is named in mismatches.

    The file agrees if the sizes of all groups do: their sum, if another run of the real program agreed only in that;
    those of any recorded run, if its runs did not agree at all. Loops are compared up to the first difference of
    sizes, since what follows is a consequence.
    """
    comparison = _Comparison(recording, file)
    comparison.run(run_freely(recording))
    return comparison.agreement, comparison.mismatches


class _Comparison:
    def __init__(self, recording: ClusterAutoscalerRecording, file: str) -> None:
        self.agreement = Agreement()
        self.mismatches: list[Mismatch] = []
        self._recording = recording
        self._file = file
        self._close = _CLOSE_IN_LONG_RUNS if recording.family == _LONG else _CLOSE

    def run(self, got: Observations) -> None:
        """Compares sizes, then loops."""
        difference = self._compare_sizes(got)
        self.agreement.files.add(difference is None)
        self._compare_loops(got.loops, difference)

    def _compare_sizes(self, got: Observations) -> Nanoseconds | None:
        """Compares the sizes of groups; returns when they first differ from all recorded runs."""
        ours = self._changes(got.replicas)
        expected = self._changes(self._recording.outputs.replicas)
        check = self._recording.check
        if not check.decisions_seed_independent and check.totals_seed_independent:
            expected, ours = _totals(expected), _totals(ours)
        place = self._first_difference(expected, ours)
        if place is not None and not check.decisions_seed_independent:
            runs = [self._changes([tuple(each) for each in run["replicas"]]) for run in check.variation.values()]
            if any(self._first_difference(run, ours) is None for run in runs):
                place = None
        equal = len(expected) if place is None else place
        self.agreement.aspects[SIZES].add(equal, max(len(expected), len(ours)) if place is not None else equal)
        if place is None:
            return None
        one, other = (changes[place] if place < len(changes) else None for changes in (expected, ours))
        self.mismatches.append(Mismatch(self._file, place, "all groups", SIZES, one, other))
        return min(each[0] for each in (one, other) if each is not None)

    def _changes(self, replicas: Iterable[Any]) -> list[Change]:
        """Returns the changes of sizes by instant; their order inside one is free."""
        changes: list[tuple[Nanoseconds, Counter[str]]] = []
        for time, group, before, after in sorted(replicas):
            if not changes or time - changes[-1][0] > self._close:
                changes.append((time, Counter()))
            changes[-1][1][group] += after - before
        found = [(time, {group: delta for group, delta in sizes.items() if delta}) for time, sizes in changes]
        return [(time, sizes) for time, sizes in found if sizes]

    def _first_difference(self, expected: Sequence[Change], got: Sequence[Change]) -> int | None:
        for place, (one, other) in enumerate(zip_longest(expected, got)):
            if one is None or other is None or abs(one[0] - other[0]) > self._close or one[1] != other[1]:
                return place
        return None

    def _compare_loops(self, got: list[LoopReport], until: Nanoseconds | None) -> None:
        ours = iter(got)
        loop = next(ours, None)
        last: Json = {}
        for number, one in enumerate(self._recording.outputs.loops):
            last = one.get("down", last)
            if until is not None and one["t"] > until - self._close:
                return
            while loop is not None and loop.time < one["t"] - self._close:
                loop = next(ours, None)
            if loop is None or abs(loop.time - one["t"]) > self._close:
                continue
            if one["trigger"] == "timer":  # the number of loops inside an instant that pods start is chance
                self._compare_loop(number, {**one, "down": last}, loop)

    def _compare_loop(self, number: int, one: Json, loop: LoopReport) -> None:
        pairs = [(aspect, *_COMPARED[aspect](one, loop)) for aspect in OF_LOOPS]
        differing = [pair for pair in pairs if pair[1] != pair[2]]
        for aspect, expected, got in pairs:
            self.agreement.aspects[aspect].add(expected == got)
        self.agreement.attempts.add(not differing)
        if differing and not self.mismatches:
            self.mismatches += [Mismatch(self._file, number, f"{one['t']} ns", *pair) for pair in differing]


def _totals(changes: Sequence[Change]) -> list[Change]:
    sums = [(time, {"all": sum(sizes.values())}) for time, sizes in changes]
    return [(time, sizes) for time, sizes in sums if sizes["all"]]


def _name(group: str) -> str:
    return group.rpartition("/")[2]


def _scale_up(one: Json, loop: LoopReport) -> tuple[Any, Any]:
    """Compares the pods to help, the upcoming nodes, the misfits, the estimate and the plan."""
    misfits = sorted({(group, plugin) for _, group, plugin, _ in one.get("misfits") or ()})
    helped = sorted([*(one.get("unschedulable") or ())])
    expected = (
        helped if not one.get("unschedulable_more") else len(loop.to_help),
        one.get("upcoming"),
        sorted(one.get("skipped") or ()),
        misfits,
        one.get("best", ""),
        one.get("estimated", 0),
        sorted(tuple(each) for each in one.get("plan") or ()),
    )
    quota = "exceeded quota"
    got = (
        sorted(loop.to_help) if not one.get("unschedulable_more") else len(loop.to_help),
        loop.upcoming,
        sorted(_name(group) for group, why in loop.skipped.items() if not why.startswith(quota)),
        sorted({(_name(group), misfit.plugin) for (_, group), misfit in loop.misfits.items()}),
        _name(loop.best),
        loop.estimated,
        sorted((_name(each.group), *each[1:]) for each in loop.plan),
    )
    return expected, got


def _utilization(one: Json, loop: LoopReport) -> tuple[Any, Any]:
    """Compares the shares of nodes below and above the threshold, by group."""
    if loop.down is None:
        return None, None
    down, ours = one["down"], (loop.down.below, loop.down.above)
    expected = [_shares(down.get(side) or {}) for side in ("below", "above")]
    got = ({node: (used[0], float(f"{used[1] * 100:.6g}")) for node, used in nodes.items()} for nodes in ours)
    return expected, [_shares(nodes) for nodes in got]


def _shares(nodes: Json) -> list[tuple[str, str, float]]:
    return sorted((_group_of(node), used[0], round(used[1], 2)) for node, used in nodes.items())


def _group_of(node: str) -> str:
    return node.rpartition("-")[0]


def _obstacles(one: Json, loop: LoopReport) -> tuple[Any, Any]:
    """Compares how many nodes of each group cannot be removed."""
    if loop.down is None:
        return None, None
    kinds = ("cannot", "not_considered", "kept")
    expected = [Counter(map(_group_of, one["down"].get(kind) or ())) for kind in kinds]
    got = [Counter(map(_group_of, getattr(loop.down, kind))) for kind in kinds]
    return expected, got


def _unneeded(one: Json, loop: LoopReport) -> tuple[Any, Any]:
    """Compares since when nodes are unneeded, by group, in milliseconds."""
    if loop.down is None:
        return None, None
    since = one["down"].get("unneeded_since_ms") or {}
    expected = sorted((_group_of(node), time) for node, time in since.items())
    got = sorted((_group_of(node), time // 1_000_000) for node, time in loop.down.unneeded_since.items())
    return expected, got


def _removals(one: Json, loop: LoopReport) -> tuple[Any, Any]:
    """Compares how many nodes of each group begin to be removed."""
    expected = (one.get("remove_empty") or (), [each[0] for each in one.get("remove_drain") or ()])
    got = (loop.remove_empty, loop.remove_drain)
    return [Counter(map(_group_of, nodes)) for nodes in expected], [Counter(map(_group_of, nodes)) for nodes in got]


_COMPARED = {
    "scale-up": _scale_up,
    "utilization": _utilization,
    "obstacles": _obstacles,
    "unneeded": _unneeded,
    "removals": _removals,
}
