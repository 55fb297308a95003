"""What holds of every queue, whatever the jobs are."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scheduling.batch.batches import Submitted, ran, starts

NODES = 3
QUEUES = ["fcfs", "sjf", "easy", "conservative"]


@st.composite
def batches(draw):
    numbers = range(draw(st.integers(1, 9)))
    seconds = st.integers(1, 20)
    return [
        Submitted(f"j{i}", draw(st.integers(1, NODES)), draw(seconds), at=draw(st.integers(0, 30)), runs=draw(seconds))
        for i in numbers
    ]


@pytest.mark.parametrize("queue", QUEUES)
@given(jobs=batches())
def test_no_job_is_lost_and_no_node_is_taken_twice(queue, jobs):
    rows = ran(queue, jobs, nodes=({"count": NODES, "cpu": 1, "memory": "1Gi"},))
    assert all(row.finished is not None for row in rows)
    for moment in {row.started for row in rows}:
        there = Counter(row.node for row in rows if row.started <= moment < row.finished)
        assert set(there.values()) <= {1}


@pytest.mark.parametrize("queue", QUEUES)
@given(jobs=batches())
def test_a_job_starts_as_a_whole(queue, jobs):
    rows = ran(queue, jobs, nodes=({"count": NODES, "cpu": 1, "memory": "1Gi"},))
    assert {len({row.started for row in rows if row.job.id == job.name}) for job in jobs} == {1}


@given(jobs=batches())
def test_a_later_job_delays_no_other_under_conservative_backfilling(jobs):
    """True if every job takes as long as it says: then a reservation never has to move."""
    honest = [Submitted(job.name, job.size, job.walltime, job.at) for job in jobs]
    honest.sort(key=lambda job: job.at)
    without_last = starts("conservative", honest[:-1], nodes=({"count": NODES, "cpu": 1, "memory": "1Gi"},))
    with_last = starts("conservative", honest, nodes=({"count": NODES, "cpu": 1, "memory": "1Gi"},))
    assert all(with_last[job] == start for job, start in without_last.items())


@given(jobs=batches())
def test_no_job_overtakes_in_the_order_of_arrival(jobs):
    order = sorted(jobs, key=lambda job: job.at)
    found = starts("fcfs", order, nodes=({"count": NODES, "cpu": 1, "memory": "1Gi"},))
    assert [found[job.name] for job in order] == sorted(found.values())
