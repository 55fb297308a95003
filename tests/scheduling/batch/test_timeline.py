"""The timeline of a batch queue knows the same as the list of all that was taken."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wavetank.scheduling.batch.job import FOREVER, BatchJob, Shape
from wavetank.scheduling.batch.timeline import Timeline

SLOTS = 3
CAPACITY = np.array([[4] * SLOTS, [8, 8, 4]])


class Taken:
    """All that was taken, with its times; what is free at some time is counted anew each time."""

    def __init__(self):
        self.now = 0
        self.holds = []  # start, end, placement

    def level(self, time):
        level = CAPACITY.copy()
        for start, end, placement in self.holds:
            if start <= time < end:
                level[:, placement.slots] -= placement.amounts
        return level

    def at(self, start, job):
        """Where a job fits from `start` on."""
        times = [start, *(time for hold in self.holds for time in hold[:2] if start < time < start + job.takes)]
        return job.place(np.min([self.level(time) for time in times], axis=0))

    def earliest(self, job):
        ends = {end for _, end, _ in self.holds if self.now < end < FOREVER}
        for time in sorted({self.now, *ends}):
            placement = self.at(time, job)
            if placement is not None:
                return time, placement
        return None


def a_job(pods, cpu, takes):
    job = BatchJob([], takes, (0,))
    job.shapes = [(Shape(np.array([1, cpu]), np.ones(SLOTS, bool)), pods)]
    return job


JOBS = st.builds(a_job, st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 2, 3, 5, FOREVER]))
DEEDS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["start", "plan"]), JOBS),
        st.tuples(st.just("pass"), st.integers(1, 4)),
        st.tuples(st.sampled_from(["end", "cancel"]), st.integers(0, 20)),
    ),
    max_size=25,
)


def same(a, b):
    return (a is None) == (b is None) and (a is None or a.seats == b.seats)


@given(DEEDS)
def test_jobs_find_the_same_places(deeds):
    timeline, taken = Timeline(CAPACITY, 0), Taken()
    for deed, what in deeds:
        if deed == "pass":
            taken.now += what
            timeline.begin(taken.now)
        elif deed in ("start", "plan"):
            _place(timeline, taken, what, deed == "plan")
        else:
            _undo(timeline, taken, what, deed == "cancel")


def _place(timeline, taken, job, ahead):
    here, expected = timeline.place_now(job), taken.at(taken.now, job)
    assert same(here, expected)
    start = taken.now
    if ahead:
        found, wanted = timeline.earliest(job), taken.earliest(job)
        assert (found is None) == (wanted is None)
        if found is None:
            return
        (start, here), (wanted_start, wanted_place) = found, wanted
        assert start == wanted_start
        assert same(here, wanted_place)
    if here is not None:
        timeline.reserve(start, start + job.takes, here.slots, here.amounts)
        taken.holds.append((start, start + job.takes, here))


def _undo(timeline, taken, number, ahead):
    """Cancels a job that has not started, or ends one early: before the timeline hears that time has passed."""
    if not ahead:
        taken.now += 1
    now = taken.now
    chosen = [i for i, (start, end, _) in enumerate(taken.holds) if end > now and (start > now) == ahead]
    if chosen:
        start, end, placement = taken.holds.pop(chosen[number % len(chosen)])
        if ahead:
            timeline.cancel(start, end, placement.slots, placement.amounts)
        else:
            timeline.give_back(now, end, placement.slots, placement.amounts)
            taken.holds.append((start, now, placement))
    timeline.begin(now)
