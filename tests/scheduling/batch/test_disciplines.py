"""Hand-computed schedules of four nodes with one core each."""

from pathlib import Path

import pytest

from tests.scheduling.batch.batches import FOUR, Submitted, ran, starts
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import record

# a takes 3 of 4 nodes up to 10; b needs all 4; c, d and e are small
LINE = [
    Submitted("a", size=3, walltime=10),
    Submitted("b", size=4, walltime=5, at=1),
    Submitted("c", size=1, walltime=9, at=2),  # could end with a: delays no job if it starts by 1
    Submitted("d", size=1, walltime=8, at=2),  # ends at 10, when b begins
    Submitted("e", size=2, walltime=3, at=2),
]


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("fcfs", {"a": 0, "b": 10, "c": 15, "d": 15, "e": 15}),
        ("sjf", {"a": 0, "b": 13, "c": 18, "d": 18, "e": 10}),
        ("easy", {"a": 0, "b": 10, "c": 15, "d": 2, "e": 15}),
        ("conservative", {"a": 0, "b": 10, "c": 15, "d": 2, "e": 15}),
    ],
)
def test_a_queue_is_served_by_its_discipline(queue, expected):
    assert starts(queue, LINE) == expected


@pytest.mark.parametrize(
    ("queue", "expected"),
    [("easy", {"a": 0, "b": 10, "c": 32, "d": 2}), ("conservative", {"a": 0, "b": 10, "c": 20, "d": 30})],
)
def test_easy_may_delay_the_second_job_and_conservative_may_not(queue, expected):
    jobs = [
        Submitted("a", size=2, walltime=10),
        Submitted("b", size=3, walltime=10, at=1),
        Submitted("c", size=4, walltime=10, at=1),
        Submitted("d", size=1, walltime=30, at=2),  # fits beside a and b, but is in the way of c
    ]
    assert starts(queue, jobs) == expected


@pytest.mark.parametrize("queue", ["easy", "conservative"])
def test_a_job_that_ends_early_lets_the_others_forward(queue):
    jobs = [Submitted("a", size=4, walltime=100, runs=7), Submitted("b", size=4, walltime=10, at=1)]
    assert starts(queue, jobs) == {"a": 0, "b": 7}


def test_conservative_moves_no_reservation_back():
    jobs = [
        Submitted("a", size=3, walltime=20, runs=5),
        Submitted("b", size=4, walltime=10, at=1),  # reserved at 20, moves to 5
        Submitted("c", size=1, walltime=4, at=2),  # 2 to 6 beside a: before 20 it delays no job
    ]
    assert starts("conservative", jobs) == {"a": 0, "b": 6, "c": 2}


def test_more_important_jobs_stand_further_in_front():
    jobs = [
        Submitted("a", size=4, walltime=10),
        Submitted("b", size=4, walltime=10, at=1),
        Submitted("c", size=4, walltime=10, at=2, priority=5),
    ]
    assert starts("fcfs", jobs) == {"a": 0, "c": 10, "b": 20}


def test_a_job_waits_for_nodes_that_its_pods_may_have():
    nodes = ({"count": 2, "cpu": 1, "memory": "1Gi", "labels": {"kind": "fast"}}, FOUR[0])
    jobs = [Submitted("a", size=2, walltime=10), Submitted("b", size=1, walltime=5, at=1, selector="fast")]
    assert starts("fcfs", jobs, nodes=nodes) == {"a": 0, "b": 10}


def test_a_job_that_no_cluster_like_this_can_run_is_passed_over_and_says_so():
    jobs = [Submitted("a", size=5, walltime=10), Submitted("b", size=1, walltime=5, at=1)]
    rows = ran("fcfs", jobs)
    assert {row.started is None for row in rows if row.job.id == "a"} == {True}
    assert rows[0].message == "only 4 of 5 pods of this job fit on the empty cluster at a time"
    assert rows[-1].started is not None


def test_a_job_passed_over_runs_when_nodes_come():
    nodes = ({"count": 5, "cpu": 1, "memory": "1Gi"},)
    faults = [{"at": 0, "cordon": "node-4", "for": 30}]
    jobs = [Submitted("a", size=5, walltime=10, at=1)]
    assert starts("easy", jobs, nodes=nodes, faults=faults) == {"a": 30}


def test_a_job_is_stopped_at_its_walltime():
    jobs = [Submitted("a", size=4, walltime=10, runs=10_000), Submitted("b", size=4, walltime=10, at=1)]
    assert starts("easy", jobs) == {"a": 0, "b": 10}


@pytest.mark.parametrize("queue", ["fcfs", "easy", "conservative"])
def test_a_pod_that_ends_later_than_it_said_keeps_its_room(queue):
    """Starting and ending take a while, so every pod is overdue when the next one looks for room."""
    latency = {"attempt": 0.5, "bind": 1, "sync": 2, "start": 1, "finish": 3}
    jobs = [Submitted(f"j{i}", size=2, walltime=5, at=i) for i in range(8)]
    rows = ran(queue, jobs, latency=latency)
    assert all(row.phase == "Succeeded" for row in rows)
    for moment in {row.scheduled for row in rows}:
        there = [row.node for row in rows if row.scheduled <= moment < row.finished]
        assert len(there) == len(set(there))


def test_pods_that_take_no_time_have_room_for_one_another_all_the_same():
    pods = {"kind": "burst", "pods": 6, "duration": 0, "requests": {"cpu": 1}}
    spec = {"cluster": {"nodes": [{"count": 2, "cpu": 1, "memory": "1Gi"}]}, "workload": {"generator": pods}}
    experiment = parse_experiment(
        {
            "apiVersion": API_VERSION,
            "kind": "Experiment",
            "spec": {**spec, "schedulers": [{"name": "fcfs"}], "latency": "k3s"},
        },
        Path.cwd(),
    )
    rows = record(experiment.setting(experiment.schedulers[0]), seed=1).rows
    assert all(row.phase == "Succeeded" for row in rows)


def test_conservative_starts_every_job_although_latencies_delay_all_of_them():
    nodes = ({"count": 1, "cpu": 1, "memory": "1Gi"},)
    jobs = [Submitted(name, 1, 7) for name in "abcd"]
    latency = {"attempt": 0.5, "bind": 1, "sync": 2, "start": 1, "finish": 0.5}
    started = starts("conservative", jobs, nodes=nodes, latency=latency)
    assert None not in started.values()
