"""Runs wavetank's scheduler on a timeline in which the answer to a patch races with the patch's own watch event.

The scheduling loop waits for the answer to its status patch, and the watch event of the patch arrives at the same
instant on another connection. In the records the loop goes on first, unless the connection that carried the answer is
closed because two others are idle already. That depends on the other requests under way, mostly writes of Events, which
decide nothing. So both orders are right, and the recorded one is searched for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from wavetank.verification.timelines.activity import Activity, ObservedAttempt
from wavetank.verification.timelines.freerun import WatchedScheduler, play
from wavetank.verification.timelines.timeline import Timeline

_MOST_RUNS = 60
_LATEST = 8  # so many answers before a difference are tried


@dataclass(frozen=True, slots=True)
class RacedRun:
    """A run, how many answers came together with watch events, and how many of these after the events."""

    activity: Activity
    answers: int
    events_first: int


def run_with_races(timeline: Timeline, expected: Activity) -> RacedRun:
    """Runs a timeline with all answers first; where it differs, tries the other order of the latest answers.

    Returns the run that agrees longest.
    """
    flipped: frozenset[int] = frozenset()
    activity, races = _run(timeline, flipped)
    agrees, runs = _agrees_until(expected, activity), 1
    while agrees is not None and runs < _MOST_RUNS:
        for answer in _latest(races, agrees, flipped):
            other, other_races = _run(timeline, flipped | {answer})
            longer, runs = _agrees_until(expected, other), runs + 1
            if longer is None or longer > agrees:
                flipped, activity, races, agrees = flipped | {answer}, other, other_races, longer
                break
        else:
            break
    return RacedRun(activity, len(races), len(flipped))


def _run(timeline: Timeline, events_first: frozenset[int]) -> tuple[Activity, list[int]]:
    races: list[int] = []

    def build(*args: Any, **kwargs: Any) -> _RacingScheduler:
        return _RacingScheduler(events_first, races, *args, **kwargs)

    return play(timeline, build), races


def _latest(races: list[int], attempts: int, tried: frozenset[int]) -> Iterator[int]:
    """Yields the numbers of the last answers that came before an attempt and are not in `tried`, latest first."""
    before = [number for number, made in enumerate(races) if made <= attempts and number not in tried]
    yield from reversed(before[-_LATEST:])


def _agrees_until(expected: Activity, got: Activity) -> int | None:
    """Returns how many attempts agree before the first that differs, None if all agree, and the bindings too."""
    for number, (theirs, ours) in enumerate(zip(expected.attempts, got.attempts, strict=False)):
        if _comparable(theirs) != _comparable(ours):
            return number
    if len(expected.attempts) == len(got.attempts) and expected.binds == got.binds:
        return None
    return min(len(expected.attempts), len(got.attempts))


def _comparable(attempt: ObservedAttempt) -> ObservedAttempt:
    """Returns an attempt without its victims: the record gives some of them to a later attempt of the same pod."""
    return replace(attempt, victims=frozenset())


class _RacingScheduler(WatchedScheduler):
    """A scheduler that handles watch events before the answer to its patch, for the answers of these numbers.

    Adds to `races`, for each answer that comes together with watch events, how many attempts had been made before it.
    """

    def __init__(self, events_first: frozenset[int], races: list[int], *args: Any, **kwargs: Any) -> None:
        self._events_first = events_first
        self._races = races
        super().__init__(*args, **kwargs)

    def _take_answers(self) -> None:
        if self._inbox:
            self._races.append(len(self._activity.attempts))
            if len(self._races) - 1 in self._events_first:
                inbox, self._inbox = self._inbox, []
                for handle, event in inbox:
                    handle(*event)
        super()._take_answers()
