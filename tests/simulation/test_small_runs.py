"""Whole simulations, small enough to follow by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulation.experiments import measured, simulate
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.recording.podrow import PodRow
from wavetank.results.recording.recorder import Recorder

ONE_NODE = {"nodes": [{"cpu": 1, "memory": "1Gi"}]}
TWO_NODES = {"nodes": [{"count": 2, "cpu": 1, "memory": "1Gi"}]}


def pods(number: int = 1, **fields: Any) -> dict[str, Any]:
    return {"kind": "burst", "name": "p", "pods": number, "requests": {"cpu": 1}, "duration": 10, **fields}


def run(cluster: dict[str, Any], *generators: dict[str, Any], **spec: Any) -> Recorder:
    return simulate({"cluster": cluster, "workload": {"generators": list(generators)}, **spec})


def times(row: PodRow) -> list[float | None]:
    return [
        None if time is None else time / SECOND for time in (row.submitted, row.scheduled, row.started, row.finished)
    ]


def test_pods_wait_for_one_another_where_there_is_room_for_one() -> None:
    rows = run(ONE_NODE, pods(3)).rows
    assert [times(row) for row in rows] == [[0, 0, 0, 10], [0, 10, 10, 20], [0, 20, 20, 30]]


def test_more_important_pods_come_first() -> None:
    rows = run(ONE_NODE, pods(1, name="low"), pods(1, name="high", priority=5)).rows
    assert {row.name: times(row)[1] for row in rows} == {"low-0": 10, "high-0": 0}


def test_the_steps_of_a_life_take_their_time() -> None:
    latency = {"attempt": 1, "bind": 2, "sync": 3, "start": 4, "finish": 5}
    (row,) = run(ONE_NODE, pods(), latency=latency).rows
    assert times(row) == [0, 1 + 2, 3 + 3 + 4, 10 + 10 + 5]


def test_the_horizon_cuts_a_run() -> None:
    recorder = run(ONE_NODE, pods(3), horizon=15)
    assert recorder.end == 15 * SECOND
    assert [row.phase for row in recorder.rows] == ["Succeeded", "Running", "Pending"]


def test_pods_that_run_for_ever_let_the_run_end() -> None:
    endless = {key: value for key, value in pods().items() if key != "duration"}
    recorder = run(ONE_NODE, endless)
    assert (recorder.end, recorder.rows[0].phase) == (0, "Running")


def test_a_pod_that_fits_nowhere_is_left_with_the_reason() -> None:
    (row,) = run(ONE_NODE, pods(requests={"cpu": 2})).rows
    assert (row.phase, row.scheduled) == ("Pending", None)
    assert row.message.startswith("0/1 nodes are available: 1 Insufficient cpu.")


def test_a_lost_node_loses_its_pods_and_its_room_is_used_after_its_recovery() -> None:
    recorder = run(
        ONE_NODE, pods(1, duration=1000), pods(1, name="q", at=5), faults=[{"at": 10, "fail": "node-0", "for": 600}]
    )
    lost, late = recorder.rows
    assert (lost.phase, lost.reason, times(lost)[3]) == ("Failed", "Evicted", 310)
    assert times(late) == [5, 610, 610, 620]


def test_a_drained_node_gets_no_pods_until_it_is_uncordoned() -> None:
    rows = run(ONE_NODE, pods(2), faults=[{"at": 3, "drain": "node-0", "for": 40}]).rows
    assert (rows[0].reason, times(rows[0])[3]) == ("Evicted", 3)
    assert times(rows[1])[1] == 43


def test_a_pod_whose_binding_comes_after_its_nodes_failure_is_not_forgotten() -> None:
    (row,) = run(ONE_NODE, pods(), latency={"bind": 5}, faults=[{"at": 2, "fail": "node-0"}]).rows
    assert (times(row)[1], row.phase, row.reason) == (5, "Failed", "Evicted")


def a_bound_pod(name: str = "old", cpu: int = 1, **annotations: str) -> dict[str, Any]:
    metadata = {"name": name, "annotations": {f"wavetank.dev/{key}": value for key, value in annotations.items()}}
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    spec = {"nodeName": "node-0", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


def test_pods_that_come_with_the_cluster_are_rows_that_waited_for_nothing() -> None:
    recorder = run({**ONE_NODE, "objects": [a_bound_pod(duration="50")]}, pods())
    bound, row = recorder.rows
    assert (bound.node, times(bound)[:2], times(bound)[3]) == ("node-0", [0, 0], 50)
    assert times(row) == [0, 50, 50, 60]
    metrics = measured(recorder)
    assert (metrics.pods, metrics.succeeded_pods, metrics.mean_waiting_time_s) == (2, 2, 50)


def test_running_pods_of_a_snapshot_count_as_running_and_evicted() -> None:
    faults = [{"at": 20, "drain": "node-0"}]
    recorder = run({**TWO_NODES, "objects": [a_bound_pod(duration="50")]}, pods(), faults=faults)
    assert measured(recorder).evicted_pods == 1
    table = PodTable(recorder)
    assert table.usage.pods_running[0] == 2


def test_a_cluster_may_come_over_committed() -> None:
    objects = [a_bound_pod(name, cpu=1, duration="50") for name in ("a", "b", "c")]
    *_, row = run({**TWO_NODES, "objects": objects}, pods()).rows
    assert (row.node, times(row)[1]) == ("node-1", 0)


def test_schedulers_side_by_side_take_their_own_pods_only() -> None:
    together = [
        {"name": "mine", "policy": "first-fit", "schedulerName": "mine"},
        {"name": "yours", "policy": "worst-fit", "schedulerName": "yours"},
    ]
    generators = [pods(1, name=name, schedulerName=name) for name in ("mine", "yours", "nobodys")]
    recorder = run(
        {"nodes": [{"cpu": 4, "memory": "1Gi"}]}, *generators, schedulers=[{"name": "both", "together": together}]
    )
    assert {row.name: (row.scheduler, row.phase) for row in recorder.rows} == {
        "mine-0": ("mine", "Succeeded"),
        "yours-0": ("yours", "Succeeded"),
        "nobodys-0": ("", "Pending"),
    }


def test_a_class_that_is_not_there_is_refused_with_the_pods_name() -> None:
    pod = a_bound_pod()
    pod["spec"]["priorityClassName"] = "high"
    with pytest.raises(InputError, match='pod default/old: no PriorityClass with name "high" was found'):
        run({**ONE_NODE, "objects": [pod]}, pods())
