"""Pods that are created with a nodeName: no scheduler places them, and every one counts them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.simulation.experiments import simulate
from wavetank.scheduling.named import named_schedulers


@pytest.mark.parametrize("scheduler", list(named_schedulers()))
def test_a_pod_with_a_node_runs_there_with_any_scheduler(scheduler: str, tmp_path: Path) -> None:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "annotations": {"wavetank.dev/duration": "10s"}},
            "spec": {"containers": [container], **({"nodeName": node} if node else {})},
        }
        for name, node in (("bound", "node-1"), ("free", ""))
    ]
    workload = tmp_path / "workload.yaml"
    workload.write_text(yaml.safe_dump_all(pods))
    nodes = [{"count": 2, "cpu": 1, "memory": "1Gi"}]
    recorder = simulate(
        {"cluster": {"nodes": nodes}, "workload": {"file": str(workload)}, "schedulers": [{"name": scheduler}]}
    )
    assert {row.name: row.node for row in recorder.rows} == {"bound": "node-1", "free": "node-0"}
