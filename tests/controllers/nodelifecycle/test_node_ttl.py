"""Nodes are told how long their kubelets may keep what they have read."""

from __future__ import annotations

from pathlib import Path

import pytest

from wavetank.controllers.nodelifecycle.ttl import ANNOTATION
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.workloads.open import open_cluster

NODE = "apiVersion: v1\nkind: Node\nmetadata: {{name: n{i}}}\nstatus: {{capacity: {{cpu: 1}}}}\n"


@pytest.mark.parametrize(("count", "ttl"), [(3, "0"), (100, "0"), (101, "15"), (501, "30")])
def test_larger_clusters_keep_longer(count: int, ttl: str, tmp_path: Path) -> None:
    file = tmp_path / "nodes.yaml"
    file.write_text("---\n".join(NODE.format(i=i) for i in range(count)))
    cluster = ServedCluster(
        ServedSetting(open_cluster([file]), controllers=frozenset({"ttl-controller"}), start=0), lambda token: None
    )
    cluster.clock.run(1_000_000_000)
    assert {node.annotations.get(ANNOTATION) for node in cluster.store.list("Node")} == {ttl}
