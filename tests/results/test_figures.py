"""Fairness, slowdown, fragmentation and cost, worked out by hand."""

import numpy as np
import pytest

from tests.experiments.trials import ran, rows_of
from tests.support.objects import pod_manifest
from wavetank.results.metrics.fairness import jain


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 1, 1], 1), ([1, 0, 0, 0], 0.25), ([3, 1], 0.8), ([0, 0], 1), ([], None)],
)
def test_jain(values, expected):
    assert jain(np.array(values, float)) == expected


def summary(tmp_path, nodes, pods, **spec):
    (tmp_path / "pods.yaml").write_text("\n---\n".join(map(str, pods)))
    out = ran(tmp_path / "out", folder=tmp_path, cluster={"nodes": nodes}, workload={"file": "pods.yaml"}, **spec)
    (row,) = rows_of(out / "summary.csv")
    return {key: float(value) for key, value in row.items() if key != "scheduler" and value}


def test_slowdown_and_job_latency(tmp_path):
    """One core: the second pod waits 20 s for the first and runs 20 s, so it takes twice as long as alone."""
    pods = [pod_manifest("first", duration="20", memory=None), pod_manifest("second", duration="20", memory=None)]
    row = summary(tmp_path, [{"cpu": 1, "memory": "1Gi"}], pods)
    assert row["mean_job_latency_s"] == 30
    assert row["mean_slowdown"] == 1.5
    assert row["slowdown_fairness"] == 0.9  # (1 + 2)² / (2 * (1 + 4))


def test_a_short_job_counts_as_if_it_had_run_ten_seconds(tmp_path):
    pods = [pod_manifest("first", duration="20", memory=None), pod_manifest("second", duration="1", memory=None)]
    row = summary(tmp_path, [{"cpu": 1, "memory": "1Gi"}], pods)
    assert row["mean_slowdown"] == pytest.approx((1 + 2.1) / 2)


def test_fragmentation(tmp_path):
    """Two nodes of 3 cores, a pod of 2 on each for 10 s: one core is left on both, which is of no use to such pods."""
    pods = [
        pod_manifest("first", cpu="2", duration="10", memory=None),
        pod_manifest("second", cpu="2", duration="10", memory=None),
    ]
    row = summary(tmp_path, [{"count": 2, "cpu": 3, "memory": "1Gi"}], pods)
    assert row["fragmentation"] == 1


def test_free_nodes_are_of_use(tmp_path):
    """Of 1 + 3 free cores the one beside the pod is of no use."""
    row = summary(
        tmp_path, [{"count": 2, "cpu": 3, "memory": "1Gi"}], [pod_manifest("only", cpu="2", duration="10", memory=None)]
    )
    assert row["fragmentation"] == 0.25


def test_cost(tmp_path):
    nodes = [{"cpu": 1, "memory": "1Gi", "labels": {"wavetank.dev/price": "3.6"}}, {"cpu": 1, "memory": "1Gi"}]
    assert summary(tmp_path, nodes, [pod_manifest("only", duration="10", memory=None)])["cost"] == pytest.approx(0.01)


def test_shares_of_namespaces(tmp_path):
    pods = [
        pod_manifest("a", duration="10", memory=None),
        pod_manifest("b", duration="10", memory=None),
        pod_manifest("c", duration="10", memory=None),
    ]
    pods[2]["metadata"]["namespace"] = "other"
    row = summary(tmp_path, [{"count": 3, "cpu": 1, "memory": "1Gi"}], pods)
    assert row["share_fairness"] == pytest.approx(0.9)  # 2/3 and 1/3
