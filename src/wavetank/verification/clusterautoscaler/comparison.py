"""Compares what wavetank's autoscaler does with what the real one did."""

from __future__ import annotations

from typing import Any

from wavetank.verification.clusterautoscaler.aspects import EVENTS, EVICTIONS, FREE, GUIDED, SIZES, STATUS, TAINTS
from wavetank.verification.clusterautoscaler.freerun import Observations, run_freely
from wavetank.verification.clusterautoscaler.loops import compared_aspects, is_comparable
from wavetank.verification.clusterautoscaler.recording import ClusterAutoscalerRecording
from wavetank.verification.clusterautoscaler.reports import (
    compare_events,
    compare_evictions,
    compare_statuses,
    compare_taints,
)
from wavetank.verification.clusterautoscaler.sizes import SizeComparison, compare_sizes
from wavetank.verification.decisions.agreement import Agreement, Count
from wavetank.verification.decisions.replay import Mismatch

SEEDS = 16  # of free runs: the real program was run with two


def compare(recording: ClusterAutoscalerRecording, file: str) -> tuple[Agreement, list[Mismatch]]:
    """Runs a scenario freely, guided and from recorded states; `file` is named in mismatches.

    The file agrees if, where the real program decided the same with another seed, the sizes of all groups in a free
    run do; else, if all loops from recorded states do. See docs/fidelity.md.
    """
    comparison = _Comparison(recording, file)
    free = recording.check.decisions_seed_independent and comparison.compare_free()
    comparison.compare_guided()
    comparison.compare_replay(run_freely(recording, forced=True))
    loops = comparison.agreement.attempts
    agrees = free if recording.check.decisions_seed_independent else loops.equal == loops.compared
    comparison.agreement.files.add(bool(agrees))
    return comparison.agreement, comparison.mismatches


class _Comparison:
    def __init__(self, recording: ClusterAutoscalerRecording, file: str) -> None:
        self.agreement = Agreement()
        self.mismatches: list[Mismatch] = []
        self._recording = recording
        self._file = file

    def compare_free(self) -> bool:
        """Runs freely with one seed after the other until the sizes agree."""
        first: SizeComparison | None = None
        agrees = False
        for seed in range(SEEDS):
            found = compare_sizes(self._recording, run_freely(self._recording, guided=False, seed=seed).replicas)
            first, agrees = first or found, found.agrees
            if agrees:
                break
        self.agreement.aspects[FREE].add(agrees)
        if not agrees and first is not None:
            self._note_sizes(FREE, first)
        return agrees

    def compare_guided(self) -> None:
        """Compares the sizes of a run that takes choices left to chance from the recording."""
        found = compare_sizes(self._recording, run_freely(self._recording).replicas)
        self.agreement.aspects[GUIDED].add(found.agrees)
        self.agreement.aspects[SIZES].add(found.equal, found.compared)
        if not found.agrees:
            self._note_sizes(SIZES, found)

    def _note_sizes(self, aspect: str, found: SizeComparison) -> None:
        self._note(found.place or 0, "all groups", aspect, found.recorded, found.ours)

    def _note(self, step: int, where: str, aspect: str, recorded: Any, ours: Any) -> None:
        self.mismatches.append(Mismatch(self._file, step, where, aspect, recorded, ours))

    # from recorded states

    def compare_replay(self, got: Observations) -> None:
        """Compares loop by loop, then what was written."""
        noted = False
        down: dict[str, Any] = {}
        for number, (one, loop) in enumerate(zip(self._recording.outputs.loops, got.loops, strict=False)):
            down = one.get("down", down)
            if not is_comparable(one, loop):
                continue
            pairs = list(compared_aspects({**one, "down": down}, loop))
            differing = [pair for pair in pairs if pair[1] or pair[2]]
            self.agreement.attempts.add(not differing)
            for aspect, recorded, ours in pairs:
                self.agreement.aspects[aspect].add(not (recorded or ours))
            for pair in differing if not noted else ():
                self._note(number, f"{one['t']} ns", *pair)
            noted = noted or bool(differing)
        self._compare_reports(got)

    def _compare_reports(self, got: Observations) -> None:
        outputs = self._recording.outputs
        reports: tuple[tuple[str, tuple[Count, Any]], ...] = (
            (TAINTS, compare_taints(outputs.taints, got.taints)),
            (EVICTIONS, compare_evictions(outputs.evictions, got.evictions)),
            (STATUS, compare_statuses(outputs.status, got.statuses)),
            (EVENTS, compare_events(outputs.events, got.events)),
        )
        for aspect, (count, differences) in reports:
            self.agreement.aspects[aspect].add(count.equal, count.compared)
            for time, recorded, ours in differences[:1]:
                self._note(0, f"{time} ns", aspect, recorded, ours)
