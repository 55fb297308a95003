"""Figures of node groups: cost, idle capacity, waiting for nodes, flapping, interruptions."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wavetank
from wavetank.kernel.durations import SECOND
from wavetank.results.metrics.cost import Span
from wavetank.results.metrics.machines import GroupFigures
from wavetank.results.recording.machines import RecordedMachine

HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment"}
CONTROL = {"name": "control", "cpu": 1, "memory": "1Gi", "taints": [{"key": "control", "effect": "NoSchedule"}]}
GROUP = {"name": "g", "max": 4, "initial": 1, "cpu": 4, "memory": "8Gi", "boot": "60s", "price": 3.6}
AUTOSCALER = {"scale-down-unneeded-time": "5m", "scale-down-delay-after-add": "1m"}


def run(folder: Path, pods: str, group: dict[str, Any] | None = None, **more: Any) -> wavetank.Results:
    file = folder / "pods.csv"
    file.write_text("namespace,name,arrival_s,duration_s,cpu_milli,memory\n" + pods)
    spec = {
        "cluster": {"nodes": [CONTROL]},
        "workload": {"file": str(file)},
        "nodeGroups": [{**GROUP, **(group or {})}],
        "horizon": "1h",
        **more,
    }
    return wavetank.run({**HEAD, "spec": spec}, out=folder / "out", jobs=1)


def table(results: wavetank.Results, name: str) -> list[dict[str, str]]:
    with (results.folder / "default" / "seed-1" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_pods_bear_the_mean_of_their_shares_and_the_rest_is_idle(tmp_path: Path) -> None:
    """A node of 4 cores and 8 GiB at 0.001 per second; 2 cores and 2 GiB are (1/2 + 1/4) / 2 of it."""
    results = run(tmp_path, "team,one,0,1000,2000,2Gi\nother,two,0,500,1000,6Gi\n")
    (row,) = results.summary("rows")
    costs = {each["namespace"]: float(each["cost"]) for each in table(results, "namespace_costs")}
    assert row["cost"] == pytest.approx(3.6)
    assert costs == pytest.approx({"team": 1000 * 0.001 * 0.375, "other": 500 * 0.001 * 0.5})
    assert row["idle_cost"] == pytest.approx(3.6 - sum(costs.values()))
    assert row["cost_per_finished_pod"] == pytest.approx(1.8)
    assert row["idle_cpu_hours"] == pytest.approx(5 - (2 * 1000 + 1 * 500) / 3600)  # with that of the fixed node


def test_a_pod_that_needs_a_new_node_waits_for_its_order_and_its_boot(tmp_path: Path) -> None:
    results = run(tmp_path, "a,one,0,600,3000,1Gi\na,two,5,600,3000,1Gi\n", autoscaler=AUTOSCALER)
    (row,) = results.summary("rows")
    timeline = {each["name"]: each for each in table(results, "node_timeline")}
    ordered, ready = float(timeline["g-002"]["ordered_s"]), float(timeline["g-002"]["ready_s"])
    assert ready == ordered + 60
    assert (row["scaling_wait_pods"], row["scaling_wait_s"]) == (1, pytest.approx(ready - 5))
    assert row["most_nodes"] == 3
    assert float(timeline["g-002"]["cost"]) == pytest.approx((float(timeline["g-002"]["gone_s"]) - ordered) * 0.001)


def test_pods_of_interrupted_nodes_are_lost_unless_a_controller_creates_them_again(tmp_path: Path) -> None:
    container = {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    }
    spot = {"spot": {"lifetime": "5m", "notice": "1m"}}
    cluster = {"nodes": [CONTROL], "objects": [deployment]}
    results = run(tmp_path, "a,one,0,3000,1000,1Gi\na,two,0,100,1000,1Gi\n", spot, cluster=cluster, horizon="6m")
    (row,) = results.summary("rows")
    assert (row["interruptions"], row["interrupted_pods"], row["lost_pods"]) == (1, 2, 1)


def test_machines_that_never_boot_cost_nothing(tmp_path: Path) -> None:
    failing = {"bootFailures": 1, "initial": 0}
    flags = {**AUTOSCALER, "max-node-provision-time": "5m"}
    results = run(tmp_path, "a,one,0,600,3000,1Gi\n", failing, autoscaler=flags, horizon="20m")
    (group,) = table(results, "node_groups")
    assert int(group["failed"]) >= 1
    assert float(group["node_hours"]) == 0
    assert results.summary("rows")[0]["unscheduled_pods"] == 1


def test_runs_without_groups_and_prices_have_no_files_of_nodes(tmp_path: Path) -> None:
    workload = {"generator": {"kind": "burst", "pods": 1, "duration": 1, "requests": [{"cpu": 1}]}}
    results = wavetank.run(cluster={"nodes": [{"cpu": 4, "memory": "4Gi"}]}, workload=workload, out=tmp_path / "out")
    names = {path.name for path in (results.folder / "default" / "seed-1").iterdir()}
    assert not names & {"capacity.csv", "node_timeline.csv", "node_groups.csv", "namespace_costs.csv"}


# flapping


def machine(ordered: int, removal: int | None = None, notice: int | None = None, boots: bool = True) -> RecordedMachine:
    made = RecordedMachine("m", "g", ordered * SECOND)
    made.node = made.ready = (ordered + 60) * SECOND if boots else None
    made.removal = made.gone = None if removal is None else removal * SECOND
    made.notice = None if notice is None else notice * SECOND
    return made


@pytest.mark.parametrize(
    ("machines", "flaps"),
    [
        pytest.param([machine(0, 1000), machine(1500)], 1, id="an order 500 s after a removal"),
        pytest.param([machine(0, 1000), machine(1600)], 1, id="just within ten minutes"),
        pytest.param([machine(0, 1000), machine(1601)], 0, id="too late"),
        pytest.param([machine(0, 1000), machine(900)], 0, id="an order before the removal"),
        pytest.param([machine(0, 1000), machine(0, 1010), machine(1500)], 1, id="an order undoes one removal"),
        pytest.param([machine(0, 1000), machine(0, 1010), machine(1500), machine(1500)], 2, id="two undo two"),
        pytest.param([machine(0, 1000, notice=900), machine(1000)], 0, id="a replacement after an interruption"),
        pytest.param([machine(0, 1000, boots=False), machine(1500)], 0, id="a machine that never was a node"),
    ],
)
def test_a_removal_that_an_order_undoes_within_ten_minutes_is_a_flap(
    machines: list[RecordedMachine], flaps: int
) -> None:
    assert GroupFigures("g", machines, Span(0, 3600 * SECOND), 0.0).flaps == flaps


# invariants


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 10**6), st.booleans())
def test_costs_of_pods_and_idle_capacity_are_the_cost_of_the_nodes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, spot: bool
) -> None:
    folder = tmp_path_factory.mktemp("costs")
    requests = [{"cpu": "500m", "memory": "3Gi"}, {"cpu": 2, "memory": "512Mi"}]
    generator = {"kind": "poisson", "pods": 40, "rate": 0.05, "duration": {"exponential": 300}, "requests": requests}
    results = run(
        folder,
        "",
        {"spot": {"rate": 6}} if spot else {},
        workload={"generator": generator},
        autoscaler=AUTOSCALER,
        seeds=[seed],
    )
    (row,) = results.summary("rows")
    path = results.folder / "default" / f"seed-{seed}"
    with (path / "namespace_costs.csv").open() as file:
        borne = sum(float(each["cost"]) for each in csv.DictReader(file))
    with (path / "capacity.csv").open() as file:
        rows = list(csv.DictReader(file))
    with (path / "node_timeline.csv").open() as file:
        machines = sum(float(each["cost"] or 0) for each in csv.DictReader(file))
    assert row["cost"] == pytest.approx(borne + row["idle_cost"], abs=1e-4)
    assert row["cost"] == pytest.approx(float(rows[-1]["cost"]), abs=1e-4)
    assert row["cost"] == pytest.approx(machines, abs=1e-4)
    assert all(float(each["cpu_requested_milli"]) <= float(each["cpu_milli"]) + 1e-6 for each in rows)


@pytest.mark.parametrize("name", ["capacity", "node_timeline", "node_groups", "namespace_costs"])
def test_tables_are_read_with_their_types(tmp_path: Path, name: str) -> None:
    results = run(tmp_path, "a,one,0,600,3000,1Gi\n")
    rows = getattr(results, name)("default", 1, "rows")
    assert rows
    assert "node groups g 0 to 4" in results.report.read_text()


def test_a_group_that_never_had_a_machine_costs_nothing(tmp_path: Path) -> None:
    results = run(tmp_path, "a,one,0,600,3000,1Gi\n", {"initial": 0})
    (row,) = results.node_groups("default", 1, "rows")
    assert (row["group"], row["most_nodes"], row["node_hours"], row["cost"]) == ("g", 0, 0, 0)
    assert results.summary("rows")[0]["cost"] == 0
