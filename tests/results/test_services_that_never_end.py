"""Results of pods that never end."""

from __future__ import annotations

import json

import pytest

import wavetank
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.verdict.comparison import compare

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 6,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
        },
    },
}
NODES = {"nodes": [{"count": 3, "cpu": 4, "memory": "8Gi", "zone": ["a", "b"]}]}


@pytest.fixture
def services(tmp_path):
    (tmp_path / "web.json").write_text(json.dumps(DEPLOYMENT))

    def run(**spec):
        return wavetank.run(cluster=NODES, workload=tmp_path / "web.json", out=tmp_path / "out", jobs=1, **spec)

    return run


def test_the_summary_says_where_they_are_at_the_end(services):
    (row,) = services(faults=[{"at": 600, "drain": "node-0"}]).summary(frame="rows")
    assert (row["running_pods"], row["final_nodes_used"], row["fullest_node"]) == (6, 2, 0.75)
    assert row["zone_imbalance"] == 0
    assert row["evicted_pods"] == 2


def test_time_series_go_on_to_the_end_of_the_run(services):
    faults = [{"at": 600, "drain": "node-0"}, {"at": 5000, "cordon": "node-1"}]
    series = services(faults=faults).utilization("default", 1, frame="rows")
    assert series[-1]["time_s"] > 4900
    assert series[-1]["pods_running"] == 6


def test_the_report_has_no_card_without_a_value(services):
    results = services()
    empty = {each.metric.name for each in compare(ResultsFolder(results.folder)) if not each.has_values}
    assert "makespan_s" in empty
    page = results.report.read_text()
    assert "<caption>Makespan" not in page
    assert "Nodes with pods at the end" in page


def test_a_fault_after_the_horizon_is_a_warning(services):
    results = services(faults=[{"at": 600, "drain": "node-0"}], horizon=60)
    assert ResultsFolder(results.folder).experiment.warnings == [
        "after the horizon, and never happens: drain node-0 at 600 s"
    ]


def test_runs_that_finish_have_no_such_metrics():
    generator = {"kind": "burst", "pods": 2, "duration": 5, "requests": {"cpu": 1}}
    (row,) = wavetank.run(cluster=NODES, workload={"generator": generator}, jobs=1).summary(frame="rows")
    assert row.get("running_pods") is None


def test_a_workload_of_bound_pods_counts_them(tmp_path):
    spec = {"nodeName": "node-0", "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{i}"}, "spec": spec} for i in range(3)]
    (tmp_path / "pods.json").write_text(json.dumps(pods))
    results = wavetank.run(cluster=NODES, workload=tmp_path / "pods.json", jobs=1)
    (row,) = results.summary(frame="rows")
    assert (row["pods"], row["scheduled_pods"], row["running_pods"]) == (3, 3, 3)
    assert {pod["node"] for pod in results.pods("default", 1, frame="rows")} == {"node-0"}
