"""The recorded timelines of the real kube-scheduler; WAVETANK_ALL=1 runs all of them instead of a few."""

from __future__ import annotations

import os

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.verification import find_recordings, follow, read_timeline

TIMELINES = DATA / "timelines"

FAMILIES = sorted({path.name.rpartition("-")[0] for path in TIMELINES.glob("*.json.gz")}) or ["none"]

pytestmark = needs_shared(TIMELINES)
runs_all = bool(os.environ.get("WAVETANK_ALL"))


def chosen(family):
    """All of a family, or the first that is the same whatever the real scheduler's chances were."""
    every = [read_timeline(file) for file in find_recordings(TIMELINES, family)]
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


def test_where_an_answer_races_with_its_watch_event_either_order_is_accepted():
    name = "preempt_grace0-015"
    agreement, mismatches = follow(read_timeline(TIMELINES / f"{name}.json.gz"), name)
    assert mismatches == []
    answers = agreement.aspects["answer first"]
    assert answers.compared - answers.equal == 1, "one answer was handled after its watch event"
