"""The pod garbage collector, through the API: pods are looked at every 20 s, missing nodes are waited for 40 s."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import node_manifest, pod_manifest
from wavetank.controllers.nodelifecycle.podgc import PodGarbageCollector

OUT_OF_SERVICE = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}


class Deletions:
    """Keeps the last version of each pod that was removed."""

    def __init__(self, cluster: ControllerCluster) -> None:
        self.status: dict[str, dict[str, Any]] = {}
        cluster.store.subscribe("Pod", deleted=self._deleted)

    def _deleted(self, old: Any) -> None:
        self.status[old.name] = old.render()["status"]


@pytest.fixture
def cluster() -> ControllerCluster:
    return ControllerCluster("podgc")


@pytest.fixture
def deletions(cluster: ControllerCluster) -> Deletions:
    return Deletions(cluster)


def create_bound(cluster: ControllerCluster, name: str = "p", node: str = "n", **metadata: Any) -> None:
    document = pod_manifest(name)
    document["spec"]["nodeName"] = node
    document["metadata"].update(metadata)
    cluster.create(document)


def delete(cluster: ControllerCluster, name: str = "p") -> None:
    cluster.client.delete(cluster.get("Pod", name))
    cluster.run()


def set_node(cluster: ControllerCluster, ready: bool, taints: list[dict[str, str]]) -> None:
    old = cluster.store.get("Node", "", "n")
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    old = cluster.client.update_status(old, {**(old.manifest.get("status") or {}), "conditions": conditions})
    document = old.render()
    document["spec"] = {**(document.get("spec") or {}), "taints": taints}
    cluster.client.update(old, document)
    cluster.run()


@pytest.mark.parametrize(
    ("created", "gone"), [(0, 40), (1, 60), (20, 60), (39, 80)], ids=lambda seconds: f"{seconds} s"
)
def test_a_pod_on_a_node_that_never_existed_fails_and_goes(
    cluster: ControllerCluster, deletions: Deletions, created: int, gone: int
) -> None:
    cluster.run(created)
    create_bound(cluster)
    cluster.run(gone - created - 1)
    assert not deletions.status
    cluster.run(1)
    status = deletions.status["p"]
    (target,) = [each for each in status["conditions"] if each["type"] == "DisruptionTarget"]
    assert status["phase"] == "Failed"
    assert (target["status"], target["reason"]) == ("True", "DeletionByPodGC")
    assert (target["message"], target["observedGeneration"]) == ("PodGC: node no longer exists", 1)


def test_a_pod_stays_if_its_node_appears_in_time(cluster: ControllerCluster, deletions: Deletions) -> None:
    create_bound(cluster)
    cluster.run(39)
    cluster.create(node_manifest("n"))
    cluster.run(100)
    assert not deletions.status


def test_a_finished_pod_of_a_missing_node_goes_without_a_condition(
    cluster: ControllerCluster, deletions: Deletions
) -> None:
    create_bound(cluster)
    cluster.end(cluster.get("Pod", "p"), "Succeeded")
    cluster.run(40)
    assert deletions.status["p"]["phase"] == "Succeeded"
    assert not [each for each in deletions.status["p"].get("conditions") or () if each["type"] == "DisruptionTarget"]


def test_pods_that_are_bound_when_the_collector_starts_are_looked_at() -> None:
    cluster = ControllerCluster("none")
    create_bound(cluster)
    PodGarbageCollector(cluster.context)
    deletions = Deletions(cluster)
    cluster.run(40)
    assert set(deletions.status) == {"p"}


@pytest.mark.parametrize(
    ("ready", "taints", "goes"),
    [
        pytest.param(False, [OUT_OF_SERVICE], True, id="out of service"),
        pytest.param(True, [OUT_OF_SERVICE], False, id="the node is ready"),
        pytest.param(False, [], False, id="no taint"),
    ],
)
def test_terminating_pods_go_from_a_node_out_of_service(
    cluster: ControllerCluster, deletions: Deletions, ready: bool, taints: list[dict[str, str]], goes: bool
) -> None:
    cluster.create(node_manifest("n"))
    create_bound(cluster)
    create_bound(cluster, "stays")
    cluster.start()
    cluster.run(1)
    delete(cluster)
    set_node(cluster, ready, taints)
    cluster.run(18)
    assert not deletions.status
    cluster.run(1)
    assert {name: status["phase"] for name, status in deletions.status.items()} == ({"p": "Failed"} if goes else {})


def test_a_terminating_pod_without_a_node_is_marked_as_failed(cluster: ControllerCluster) -> None:
    document = pod_manifest("p")
    document["metadata"]["finalizers"] = ["example.com/hold"]
    cluster.create(document)
    cluster.run(1)
    delete(cluster)
    assert cluster.status("Pod", "p")["phase"] == "Pending"
    cluster.run(19)
    assert cluster.status("Pod", "p")["phase"] == "Failed"
    assert cluster.get("Pod", "p").render()["metadata"]["finalizers"] == ["example.com/hold"]
