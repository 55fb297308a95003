"""Pods of a workload that state their node: nodes reject what does not fit, and nothing is held on a missing node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.simulation.experiments import measured, simulate
from wavetank.kernel.durations import SECOND


def _an_experiment(folder: Path, execution: str, **pods: tuple[str, int, str]) -> dict[str, Any]:
    """Two nodes of 2 CPUs, and pods by name: (their node, arrival in seconds, CPUs), each for 100 s."""
    manifests = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "annotations": {"wavetank.dev/arrival": f"{arrival}s", "wavetank.dev/duration": "100"},
            },
            "spec": {
                **({"nodeName": node} if node else {}),
                "restartPolicy": "Never",
                "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}],
            },
        }
        for name, (node, arrival, cpu) in pods.items()
    ]
    (folder / "workload.yaml").write_text(yaml.safe_dump_all(manifests))
    return {
        "cluster": {"nodes": [{"count": 2, "cpu": 2, "memory": "8Gi"}]},
        "workload": {"file": str(folder / "workload.yaml")},
        "schedulers": [{"name": "LRP"}],
        "execution": execution,
        "horizon": "1h",
    }


@pytest.mark.parametrize("execution", ["kubelet", "k8ssim"])
def test_a_node_rejects_a_pod_that_states_it_and_does_not_fit(tmp_path: Path, execution: str) -> None:
    experiment = _an_experiment(
        tmp_path, execution, first=("node-0", 0, "2"), second=("node-0", 10, "1"), third=("node-0", 300, "1")
    )
    rows = {row.name: row for row in simulate(experiment).rows}
    assert (rows["first"].phase, rows["third"].phase) == ("Succeeded", "Succeeded")
    assert (rows["second"].phase, rows["second"].reason) == ("Failed", "OutOfcpu")


@pytest.mark.parametrize("execution", ["kubelet", "k8ssim"])
def test_schedulers_leave_alone_what_pods_with_a_stated_node_hold(tmp_path: Path, execution: str) -> None:
    experiment = _an_experiment(tmp_path, execution, stated=("node-0", 0, "2"), other=("", 10, "2"), late=("", 11, "1"))
    rows = {row.name: row for row in simulate(experiment).rows}
    assert (rows["other"].node, {row.phase for row in rows.values()}) == ("node-1", {"Succeeded"})
    assert (rows["late"].scheduled or 0) >= 100 * SECOND


@pytest.mark.parametrize("execution", ["kubelet", "k8ssim"])
def test_a_pod_on_a_node_that_does_not_exist_holds_nothing(tmp_path: Path, execution: str) -> None:
    recorder = simulate(_an_experiment(tmp_path, execution, lost=("node-9", 0, "4"), usual=("", 0, "2")))
    rows = {row.name: row for row in recorder.rows}
    assert (rows["lost"].node, rows["lost"].scheduled) == ("", None)
    assert rows["lost"].message == "its node, node-9, does not exist"
    metrics = measured(recorder)
    assert metrics.cpu_utilization <= 0.5
    assert (metrics.unscheduled_pods, metrics.nodes_used) == (1, 1)


def test_a_pod_on_a_node_that_does_not_exist_fails_after_the_quarantine(tmp_path: Path) -> None:
    experiment = _an_experiment(tmp_path, "kubelet", lost=("node-9", 5, "1"), usual=("", 0, "2"))
    rows = {row.name: row for row in simulate(experiment).rows}
    assert (rows["lost"].phase, rows["lost"].finished) == ("Failed", 60 * SECOND)
    assert rows["usual"].finished == 100 * SECOND


def test_a_pod_on_a_node_that_does_not_exist_stays_pending_without_the_collector(tmp_path: Path) -> None:
    experiment = _an_experiment(tmp_path, "kubelet", lost=("node-9", 5, "1"))
    (row,) = simulate({**experiment, "controllers": ["*", "-podgc"]}).rows
    assert (row.phase, row.finished) == ("Pending", None)
