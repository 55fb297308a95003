"""Runs of Deployments and others: their pods are kept alive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.simulation.experiments import simulate
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.results.recording.recorder import Recorder

NODES = {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]}


def an_owner(kind: str, name: str, cpu: str = "1", annotations: dict[str, str] | None = None, **spec: Any) -> Any:
    pod = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}], **spec.pop("pod", {})}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template, **spec}
    metadata = {"name": name, "annotations": annotations or {}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def run(folder: Path, *objects: Any, cluster: Any = NODES, **spec: Any) -> Recorder:
    (folder / "app.yaml").write_text(yaml.safe_dump_all(objects))
    return simulate({"cluster": cluster, "workload": {"file": str(folder / "app.yaml")}, **spec})


def alive(recorder: Recorder) -> list[str]:
    return sorted(row.name for row in recorder.rows if row.phase == "Running")


def test_every_kind_comes_to_life(tmp_path: Path) -> None:
    recorder = run(
        tmp_path,
        an_owner("Deployment", "web", replicas=2),
        an_owner("ReplicaSet", "plain", replicas=1),
        an_owner("StatefulSet", "db", replicas=2, serviceName="db"),
        an_owner("DaemonSet", "agent", "100m"),
    )
    names = alive(recorder)
    assert [name for name in names if name.startswith("db")] == ["db-0", "db-1"]
    counts = {prefix: sum(name.startswith(prefix) for name in names) for prefix in ("web-", "plain-", "agent-")}
    assert counts == {"web-": 2, "plain-": 1, "agent-": 2}
    assert {row.node for row in recorder.rows if row.name.startswith("agent")} == {"node-0", "node-1"}


def test_the_same_seed_gives_the_same_names(tmp_path: Path) -> None:
    first, second = (run(tmp_path, an_owner("Deployment", "web", replicas=3)) for _ in range(2))
    assert alive(first) == alive(second)


def test_pods_of_a_drained_node_come_again_elsewhere_but_daemons_stay(tmp_path: Path) -> None:
    objects = [an_owner("Deployment", "web", replicas=2), an_owner("DaemonSet", "agent", "100m")]
    recorder = run(tmp_path, *objects, faults=[{"at": 10, "drain": "node-0"}])
    ended = [row for row in recorder.rows if row.reason == "Evicted"]
    assert len(ended) == 1
    again = [row for row in recorder.rows if row.submitted == 10 * SECOND]
    assert [(row.node, row.phase) for row in again] == [("node-1", "Running")]
    assert sum(name.startswith("agent") for name in alive(recorder)) == 2


def test_a_preempted_pod_is_recreated_and_waits(tmp_path: Path) -> None:
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 10}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    node["status"] = {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "110"}}
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all([node, high]))
    important = an_owner(
        "Deployment", "important", annotations={"wavetank.dev/arrival": "10s"}, pod={"priorityClassName": "high"}
    )
    cluster = {"file": str(tmp_path / "cluster.yaml")}
    recorder = run(tmp_path, an_owner("Deployment", "cheap"), important, cluster=cluster)
    told = [(row.name.partition("-")[0], row.phase, row.reason) for row in recorder.rows]
    assert told == [("cheap", "Failed", "Preempted"), ("important", "Running", ""), ("cheap", "Pending", "")]


def test_pods_that_end_are_restarted_where_they_are(tmp_path: Path) -> None:
    annotations = {"wavetank.dev/duration": "10s"}
    recorder = run(tmp_path, an_owner("Deployment", "web", annotations=annotations), horizon=100)
    (row,) = recorder.rows
    assert row.phase == "Running"
    assert row.restarts > 0


def test_an_owner_whose_lifetime_is_over_takes_its_pods_along(tmp_path: Path) -> None:
    annotations = {"wavetank.dev/arrival": "5s", "wavetank.dev/lifetime": "1m"}
    recorder = run(tmp_path, an_owner("Deployment", "web", annotations=annotations, replicas=2))
    told = [(row.submitted, row.finished, row.reason) for row in recorder.rows]
    assert told == [(5 * SECOND, 65 * SECOND, "Deleted")] * 2


def test_without_controllers_an_owner_becomes_its_pods_once(tmp_path: Path) -> None:
    recorder = run(tmp_path, an_owner("Deployment", "web", replicas=2), controllers="none")
    assert alive(recorder) == ["web-0", "web-1"]


def test_an_owner_whose_pods_would_not_be_admitted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='deployment default/web: no PriorityClass with name "high" was found'):
        run(tmp_path, an_owner("Deployment", "web", pod={"priorityClassName": "high"}))


def test_workloads_of_a_cluster_file_come_to_life_too(tmp_path: Path) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    node["status"] = {"allocatable": {"cpu": "4", "memory": "1Gi", "pods": "110"}}
    objects = [node, an_owner("Deployment", "system", replicas=2)]
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
    recorder = run(tmp_path, an_owner("Deployment", "web"), cluster={"file": str(tmp_path / "cluster.yaml")})
    assert [name.partition("-")[0] for name in alive(recorder)] == ["system", "system", "web"]
