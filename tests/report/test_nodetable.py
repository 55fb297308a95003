"""The terminal's table of node groups."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

import wavetank
from wavetank.report.nodetable import node_table

HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment"}
WORKLOAD = {"generator": {"kind": "burst", "pods": 6, "duration": 300, "requests": [{"cpu": 1, "memory": "1Gi"}]}}


def printed(out: Path) -> list[list[str]]:
    table = node_table(out)
    assert table is not None
    console = Console(width=100, record=True)
    console.print(table)
    return [line.split() for line in console.export_text().splitlines() if line.strip()]


def test_a_row_per_scheduler_and_group_has_means_over_the_seeds(tmp_path: Path) -> None:
    spec = {
        "cluster": {"nodes": [{"cpu": 1, "memory": "1Gi", "taints": [{"key": "a", "effect": "NoSchedule"}]}]},
        "workload": WORKLOAD,
        "nodeGroups": [{"name": "g", "max": 4, "initial": 1, "cpu": 4, "memory": "8Gi", "price": 1}],
        "autoscaler": {"scale-down-unneeded-time": "5m"},
        "schedulers": [{"name": "default"}, {"name": "best-fit"}],
        "horizon": "30m",
        "seeds": [1, 2],
    }
    wavetank.run({**HEAD, "spec": spec}, out=tmp_path / "out", jobs=1)
    lines = printed(tmp_path / "out")
    assert [line[:2] for line in lines[-2:]] == [["default", "g"], ["best-fit", "g"]]
    assert lines[-1][3] == "2"


def test_nodes_with_a_price_are_a_row_without_groups(tmp_path: Path) -> None:
    nodes = [{"count": 2, "cpu": 4, "memory": "8Gi", "labels": {"wavetank.dev/price": "12"}}]
    wavetank.run(cluster={"nodes": nodes}, workload=WORKLOAD, out=tmp_path / "out", jobs=1)
    assert printed(tmp_path / "out")[-1] == ["other", "nodes", "2", "2", "2", "0.875"]


def test_other_experiments_have_no_such_table(tmp_path: Path) -> None:
    nodes = [{"count": 2, "cpu": 4, "memory": "8Gi"}]
    wavetank.run(cluster={"nodes": nodes}, workload=WORKLOAD, out=tmp_path / "out", jobs=1)
    assert node_table(tmp_path / "out") is None
