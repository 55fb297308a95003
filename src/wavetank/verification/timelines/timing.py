"""Compares the times and results of wavetank's scheduler with a recorded timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from wavetank.verification.decisions.agreement import Agreement, Pair
from wavetank.verification.decisions.replay import Mismatch
from wavetank.verification.timelines.activity import Activity, ObservedAttempt, recorded
from wavetank.verification.timelines.forced import run_forced
from wavetank.verification.timelines.freerun import run_freely
from wavetank.verification.timelines.races import run_with_races
from wavetank.verification.timelines.timeline import Timeline

_FREE = ("time", "pod", "result", "node", "message", "queue", "plugins", "nominated")
_FORCED = ("time", "pod", "queue")  # the rest is taken from the record
_ANSWERS = "answer first"
TIMED_ASPECTS = (*_FREE, "victims", "binds", "moves", "skips", _ANSWERS)


def follow(timeline: Timeline, file: str) -> tuple[Agreement, list[Mismatch]]:
    """Runs a timeline freely; if it differs, again with the outcomes of races taken from the record.

    A repeatable record has only one kind of race (see `races`); in a random one the order of all events and results is
    taken from the record. `file` is named in mismatches: of the first attempt that differs only, since the next ones
    may follow from it.
    """
    expected = recorded(timeline)
    if timeline.is_repeatable:
        raced = run_with_races(timeline, expected)
        compared = _Comparison(file, expected, raced.activity)
        compared.agreement.aspects[_ANSWERS].add(raced.answers - raced.events_first, raced.answers)
        return compared.agreement, compared.mismatches
    compared = _Comparison(file, expected, run_freely(timeline))
    if compared.mismatches:
        compared = _Comparison(file, expected, run_forced(timeline), forced=True)
    return compared.agreement, compared.mismatches


class _Comparison:
    def __init__(self, file: str, expected: Activity, got: Activity, forced: bool = False) -> None:
        self.agreement = Agreement()
        self.mismatches: list[Mismatch] = []
        self._file = file
        self._compare_attempts(_FORCED if forced else _FREE, expected.attempts, got.attempts)
        self._compare("binds", enumerate(expected.binds), enumerate(got.binds))
        if not forced:
            self._compare("victims", _victims(expected.attempts), _victims(got.attempts))
        else:
            self._compare("moves", Counter(expected.moves).items(), Counter(got.moves).items())
            self._compare("skips", (+expected.skips).items(), (+got.skips).items())
        self.agreement.files.add(not self.mismatches)

    def _compare_attempts(
        self, aspects: Sequence[str], expected: list[ObservedAttempt], got: list[ObservedAttempt]
    ) -> None:
        for number, (theirs, ours) in enumerate(zip_longest(expected, got)):
            pairs = [(aspect, (getattr(theirs, aspect, None), getattr(ours, aspect, None))) for aspect in aspects]
            equal = all(one == other for _, (one, other) in pairs)
            for aspect, (one, other) in pairs:
                self.agreement.aspects[aspect].add(one == other)
            if not equal and self.agreement.attempts.equal == number:
                self._tell(number, theirs or ours, pairs)
            self.agreement.attempts.add(equal)

    def _tell(self, number: int, attempt: ObservedAttempt | None, pairs: list[tuple[str, Pair]]) -> None:
        assert attempt is not None
        for aspect, (one, other) in pairs:
            if one != other:
                self.mismatches.append(Mismatch(self._file, number, attempt.pod, aspect, one, other))

    def _compare(self, aspect: str, expected: Iterable[Pair], got: Iterable[Pair]) -> None:
        """Compares two mappings; the first key that differs is a mismatch unless there is one already."""
        theirs, ours = dict(expected), dict(got)
        for number, key in enumerate({**theirs, **ours}):
            equal = theirs.get(key) == ours.get(key)
            self.agreement.aspects[aspect].add(equal)
            if not equal and not self.mismatches:
                self.mismatches.append(Mismatch(self._file, number, str(key), aspect, theirs.get(key), ours.get(key)))


def _victims(attempts: list[ObservedAttempt]) -> Iterator[Pair]:
    """Yields each preemptor's victims over the whole run: the record gives some to a later attempt of the same pod.

    A victim of two preemptors is the first one's: the record has only the deletions that took effect.
    """
    preemptors: dict[str, str] = {}
    for attempt in attempts:
        for victim in attempt.victims:
            preemptors.setdefault(victim, attempt.pod)
    victims: dict[str, set[str]] = {attempt.pod: set() for attempt in attempts if attempt.victims}
    for victim, pod in preemptors.items():
        victims[pod].add(victim)
    yield from ((pod, sorted(names)) for pod, names in victims.items())
