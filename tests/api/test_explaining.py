"""Explanations from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import wavetank
from tests.apiserver.serving import serving
from tests.support.objects import node_manifest, pod_manifest


def written(path: Path, *objects: object) -> Path:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return path


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return written(tmp_path / "snapshot.json", node_manifest("n0", cpu="2"), pod_manifest("large", cpu="3"))


def test_a_pending_pod_of_a_snapshot_is_explained_with_what_would_help(snapshot: Path, tmp_path: Path) -> None:
    explained = wavetank.explain(snapshot, "large")
    assert explained.node is None
    assert any(offer.startswith("lower the request of cpu") for offer in explained.offers)
    assert explained.data["advice"]["nearest"]["node"] == "n0"
    assert "default/large: unschedulable" in str(explained)
    assert "what would help" in str(explained)
    assert explained.write_page(tmp_path / "why.html").is_file()


def test_a_pod_that_the_snapshot_does_not_have_is_explained(snapshot: Path, tmp_path: Path) -> None:
    new = written(tmp_path / "new.json", pod_manifest("small", cpu="1"))
    explained = wavetank.explain([snapshot], pods=new, scheduler="most-allocated", kubernetes_version="1.35")
    assert (explained.node, explained.offers) == ("n0", [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "pod: expected a pod: name, or namespace/name"),
        ({"pod": "x"}, "there is no pod 'x'"),
        ({"pod": "large", "scheduler": "fcfs"}, "only kube-scheduler and policies can be explained"),
        ({"pod": "large", "kubernetes_version": "2.0"}, "kubernetes_version: expected a release"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(snapshot: Path, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(wavetank.InputError, match=message):
        wavetank.explain(snapshot, **arguments)


def ran(**arguments: bool) -> wavetank.Results:
    burst = {"kind": "burst", "pods": 3, "duration": 10, "requests": {"cpu": 1}}
    return wavetank.run(cluster={"nodes": [{"cpu": 2, "memory": "4Gi"}]}, workload={"generator": burst}, **arguments)


def test_a_pod_of_recorded_results_is_explained() -> None:
    results = ran(explain=True)
    for source in (results, results.folder):
        assert wavetank.explain(source, "burst-0").node == "node-0"
    assert len(wavetank.explain(results, "burst-2").data["pods"]) == 2  # it waited for a place


def test_results_without_recorded_attempts_say_how_to_record_them() -> None:
    results = ran()
    with pytest.raises(wavetank.InputError, match="run it with --explain"):
        wavetank.explain(results, "burst-0")


def test_a_pod_of_a_live_cluster_is_explained(tmp_path: Path) -> None:
    nodes = written(tmp_path / "nodes.json", node_manifest("n0", cpu="2"))
    with serving(tmp_path, "--cluster", str(nodes), "--scheduler", "none") as served:
        assert served.ask("POST", "/api/v1/namespaces/default/pods", pod_manifest("large", cpu="3")).status == 201
        explained = wavetank.explain(kubeconfig=served.kubeconfig, pod="large")
    assert explained.node is None
    assert any(offer.startswith("lower the request of cpu") for offer in explained.offers)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pod": "x"}, "source: expected either a source or a kubeconfig"),
        ({"source": "a.yaml", "kubeconfig": "b"}, "source: expected either a source or a kubeconfig"),
        ({"source": "a.yaml", "context": "b"}, "context: expected a kubeconfig, too"),
    ],
)
def test_a_pod_is_of_one_cluster(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(wavetank.InputError, match=message):
        wavetank.explain(**arguments)
