"""The metrics on cases that one can compute by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.trials import a_batsim_workload, ran, rows_of
from tests.support.objects import pod_manifest

ONE_NODE = {"nodes": [{"cpu": 2, "memory": "4Gi"}]}


def measured(tmp_path: Path, **spec: Any) -> dict[str, float | None]:
    """Runs once and returns the only row of the summary."""
    (row,) = rows_of(ran(tmp_path / "out", 1, tmp_path, **spec) / "summary.csv")
    return {name: float(cell) if cell else None for name, cell in row.items() if name != "scheduler"}


def jobs(tmp_path: Path, *rows: dict[str, Any]) -> dict[str, str]:
    return a_batsim_workload(tmp_path / "jobs.json", *rows)


def test_a_queue_on_one_node(tmp_path: Path) -> None:
    # Two cores: a (2 cores) runs from 1 to 6; b and c (1 core each) wait for it and run from 6 to 16.
    workload = jobs(
        tmp_path,
        {"id": "a", "subtime": 1, "cpu": 2},
        {"id": "b", "subtime": 2, "profile": "ten"},
        {"id": "c", "subtime": 4, "profile": "ten", "memory": "2Gi"},
    )
    row = measured(tmp_path, cluster=ONE_NODE, workload=workload)
    assert (row["pods"], row["scheduled_pods"], row["succeeded_pods"], row["nodes_used"]) == (3, 3, 3, 1)
    assert row["makespan_s"] == 16 - 1
    assert row["mean_waiting_time_s"] == (0 + 4 + 2) / 3
    assert row["max_waiting_time_s"] == 4
    assert row["p95_waiting_time_s"] == pytest.approx(3.8)  # linear between 2 and 4
    assert row["mean_turnaround_s"] == pytest.approx((5 + 14 + 12) / 3)
    assert row["cpu_utilization"] == 1
    assert row["memory_utilization"] == pytest.approx(10 / 15 * 2 / 4)


def test_utilisation_is_weighted_by_time(tmp_path: Path) -> None:
    # Four cores in all: 1 core for 10 s, of which another core for 5 s.
    workload = jobs(tmp_path, {"id": "a", "profile": "ten"}, {"id": "b", "subtime": 3})
    row = measured(tmp_path, workload=workload)
    assert row["cpu_utilization"] == pytest.approx((10 + 5) / (4 * 10))
    assert row["makespan_s"] == 10


@pytest.mark.parametrize(("policy", "nodes"), [("best-fit", 1), ("worst-fit", 2)])
def test_the_nodes_that_were_used(tmp_path: Path, policy: str, nodes: int) -> None:
    row = measured(tmp_path, workload=jobs(tmp_path, {"id": "a"}, {"id": "b"}), schedulers=[{"name": policy}])
    assert row["nodes_used"] == nodes


def test_latency_counts_as_waiting(tmp_path: Path) -> None:
    row = measured(tmp_path, workload=jobs(tmp_path, {"id": "a"}), latency={"start": 2, "finish": 1})
    assert row["mean_waiting_time_s"] == 2
    assert row["mean_turnaround_s"] == 2 + 5 + 1


def test_pods_that_fail_and_pods_that_never_end(tmp_path: Path) -> None:
    failing = pod_manifest("failing", duration="4", restartPolicy="Never", memory=None)
    failing["metadata"]["annotations"]["wavetank.dev/exit-code"] = "1"
    endless = {**pod_manifest("endless", duration="10", memory=None), "metadata": {"name": "endless"}}
    (tmp_path / "pods.json").write_text(
        json.dumps([failing, endless, pod_manifest("large", cpu="9", duration="10", memory=None)])
    )
    row = measured(tmp_path, cluster=ONE_NODE, workload={"file": "pods.json"})
    assert (row["failed_pods"], row["succeeded_pods"], row["unscheduled_pods"]) == (1, 0, 1)
    assert row["makespan_s"] == 4
    assert row["cpu_utilization"] == 1


def test_a_drained_node(tmp_path: Path) -> None:
    workload = jobs(tmp_path, {"id": "a", "profile": "ten"})
    row = measured(tmp_path, cluster=ONE_NODE, workload=workload, faults=[{"at": 3, "drain": "node-0"}])
    assert (row["evicted_pods"], row["succeeded_pods"]) == (1, 0)


def test_a_horizon_cuts_the_run(tmp_path: Path) -> None:
    workload = jobs(tmp_path, {"id": "a", "profile": "ten"}, {"id": "b", "subtime": 7})
    row = measured(tmp_path, workload=workload, horizon=6)
    assert (row["pods"], row["scheduled_pods"], row["succeeded_pods"]) == (1, 1, 0)
    assert row["makespan_s"] is None
    assert row["mean_turnaround_s"] is None
    assert row["cpu_utilization"] == pytest.approx(1 / 4)
