"""The recorded timelines of the real kube-scheduler; WAVETANK_ALL=1 runs all of them instead of a few."""

from __future__ import annotations

import os

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.verification import find_recordings, follow, read_timeline

TIMELINES = DATA / "timelines"

# Known to differ: the answer to the loop's own status patch and the news of that patch come at one instant. The record
# has either first, even within one file; wavetank always lets the loop go on first.
DIFFERING = {"api_latency-009", "mixed_all-016", "preempt_grace0-015", "preempt_latency-007", "preempt_latency-009"}

FAMILIES = sorted({path.name.rpartition("-")[0] for path in TIMELINES.glob("*.json.gz")}) or ["none"]

pytestmark = needs_shared(TIMELINES)
runs_all = bool(os.environ.get("WAVETANK_ALL"))


def timelines(family):
    """Yields the timelines of a family but for those known to differ."""
    for file in find_recordings(TIMELINES, family):
        timeline = read_timeline(file)
        if timeline.name not in DIFFERING:
            yield timeline


def chosen(family):
    """All of a family, or the first that is the same whatever the real scheduler's chances were."""
    every = list(timelines(family))
    repeatable = [timeline for timeline in every if timeline.is_repeatable]
    return every if runs_all else repeatable[:1]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_attempt_comes_when_the_real_one_did_and_to_the_same(family):
    for timeline in chosen(family):
        _, mismatches = follow(timeline, timeline.name)
        assert mismatches == []


@pytest.mark.parametrize(
    ("name", "decided_by"),
    [
        pytest.param("same_instant-004", "how far the loop is when pods end", id="ends"),
        pytest.param("same_instant-009", "how far the loop is when pods come", id="arrivals"),
    ],
)
def test_where_chance_decides_the_queue_agrees_with_what_was_recorded(name, decided_by):
    timeline = read_timeline(TIMELINES / f"{name}.json.gz")
    assert not timeline.is_repeatable, f"recorded as decided by {decided_by}"
    agreement, mismatches = follow(timeline, name)
    assert mismatches == []
    assert agreement.aspects["moves"].compared > 0
