"""Compares what wavetank's controller did with what the real one did."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.verification.decisions.agreement import Agreement
from wavetank.verification.decisions.replay import Mismatch
from wavetank.verification.podautoscaler.aspects import FORCED, OF_SYNCS
from wavetank.verification.podautoscaler.forced import run_forced
from wavetank.verification.podautoscaler.freerun import run_freely
from wavetank.verification.podautoscaler.recorder import Observations, ObservedSync
from wavetank.verification.podautoscaler.recording import AutoscalerRecording, RecordedSync
from wavetank.verification.podautoscaler.texts import COMBINED, is_by_chance, stable, stable_status

_CLOSE: Nanoseconds = SECOND // 1000
_CLOSE_AFTER_CONFLICTS: Nanoseconds = SECOND // 10  # the pause before another try is random

_API_REASONS = ("FailedGetScale", "FailedUpdateStatus")  # whose Events have no other text than the API's

Json = dict[str, Any]


def compare(recording: AutoscalerRecording, file: str) -> tuple[Agreement, list[Mismatch]]:
    """Runs a scenario freely and sync by sync; `file` is named in mismatches, of each kind of run the first."""
    comparison = _Comparison(recording, file)
    comparison.compare(run_freely(recording.inputs), "")
    comparison.compare(run_forced(recording), FORCED)
    comparison.agreement.files.add(not comparison.mismatches)
    return comparison.agreement, comparison.mismatches


class _Comparison:
    def __init__(self, recording: AutoscalerRecording, file: str) -> None:
        self.agreement = Agreement()
        self.mismatches: list[Mismatch] = []
        self._recording = recording
        self._file = file
        self._close = _CLOSE_AFTER_CONFLICTS if recording.has_conflicts else _CLOSE

    def compare(self, got: Observations, mode: str) -> None:
        """Compares a run; `mode` goes before the names of aspects."""
        self._reported = False
        self._compare_syncs(self._recording.outputs.syncs, got.syncs, mode)
        if not mode:
            self._compare_replicas(got)
        self._compare_events(got, mode)

    def _compare_syncs(self, expected: list[RecordedSync], got: list[ObservedSync], mode: str) -> None:
        theirs, ours = _Statuses(), _Statuses()
        for number, (one, other) in enumerate(zip_longest(expected, got)):
            recorded = _recorded(one, theirs) if one is not None else {}
            observed = _observed(other, ours) if other is not None else {}
            if one is not None and other is not None and abs(one.t - other.outcome.time) <= self._close:
                observed["time"] = one.t
            if mode:
                ours.follow(theirs)
            aspects = OF_SYNCS[1:] if mode else OF_SYNCS
            pairs = [(mode + aspect, recorded.get(aspect), observed.get(aspect)) for aspect in aspects]
            equal = self._add(number, one.hpa if one is not None else got[number].outcome.key[1], pairs)
            if not mode:
                self.agreement.attempts.add(equal)

    def _compare_replicas(self, got: Observations) -> None:
        expected = [(time, target, to, cause) for time, target, _, to, cause in self._recording.outputs.replicas]
        for number, (one, other) in enumerate(zip_longest(expected, got.replicas)):
            self._add(number, (one or other)[1], [("scalings", one, self._timed(one, other))])

    def _compare_events(self, got: Observations, mode: str) -> None:
        expected = _events(self._recording.outputs.events)
        for number, (one, other) in enumerate(zip_longest(expected, _events(got.events))):
            self._add(number, (one or other)[1], [(f"{mode}events", one, self._timed(one, other))])

    def _timed(self, one: tuple[Any, ...] | None, other: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        """Takes the recorded time if ours is close enough to it."""
        if one is None or other is None or abs(one[0] - other[0]) > self._close:
            return other
        return (one[0], *other[1:])

    def _add(self, number: int, name: str, pairs: list[tuple[str, Any, Any]]) -> bool:
        differing = [pair for pair in pairs if pair[1] != pair[2]]
        for aspect, one, other in pairs:
            self.agreement.aspects[aspect].add(one == other)
        if differing and not self._reported:  # what follows may be a consequence
            self._reported = True
            self.mismatches += [Mismatch(self._file, number, name, *pair) for pair in differing]
        return not differing


class _Statuses:
    """The last written status of each autoscaler, as far as it is compared."""

    def __init__(self) -> None:
        self._last: dict[str, Json] = {}

    def after(self, hpa: str, written: Json | None) -> Json:
        """Returns the status after a sync."""
        if written is not None:
            self._last[hpa] = written
        return self._last.get(hpa, {})

    def follow(self, others: _Statuses) -> None:
        """Goes on from the statuses of others."""
        self._last = dict(others._last)


def _recorded(sync: RecordedSync, statuses: _Statuses) -> Json:
    decided = (sync.desired, tuple(sync.rescale) if sync.rescale else None, sync.reason if sync.rescale else "")
    seen = {"time": sync.t, "proposal": (sync.proposed, sync.metric), "decision": decided}
    return {**seen, **_written(sync.hpa, sync.status, sync.writes, statuses)}


def _observed(sync: ObservedSync, statuses: _Statuses) -> Json:
    outcome, rescale, reason = sync.outcome, None, ""
    desired = outcome.desired
    if outcome.rescaled and outcome.scale is not None and desired is not None:
        rescale, reason = (outcome.scale.spec_replicas, desired), outcome.reason
    if desired is not None and rescale is None and any(write[0] == "PUT scale" for write in sync.writes):
        desired = None  # what could not be written is not logged as a decision
    seen = {
        "time": outcome.time,
        "proposal": (outcome.proposed, outcome.metric),
        "decision": (desired, rescale, reason),
    }
    return {**seen, **_written(outcome.key[1], sync.status, sync.writes, statuses)}


def _written(hpa: str, status: Json | None, writes: list[list[Any]], statuses: _Statuses) -> Json:
    refused = any(write[0] == "PUT status" and write[1] >= 400 for write in writes)
    present = statuses.after(hpa, None if refused else status)
    by_chance = any(is_by_chance(condition["message"]) for condition in present.get("conditions") or ())
    written = [write for write in writes if not by_chance or write[0] != "PUT status"]
    return {**stable_status(present), "writes": written}


def _events(events: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Returns Events as they are compared.

    Which of them are combined, after the first, depends on the order of Go's maps.
    """
    compared = []
    combined: set[tuple[str, ...]] = set()
    for time, hpa, type_, reason, message, *_ in events:
        text, key = message, (hpa, type_, reason)
        if key in combined or is_by_chance(message):
            text = message.removeprefix(COMBINED)
        if message.startswith(COMBINED):
            combined.add(key)
        compared.append((time, hpa, type_, reason, "" if reason in _API_REASONS else stable(text)))
    return compared
