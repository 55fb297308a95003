"""metrics.k8s.io tells what running pods and their nodes use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import Answer, Caller
from wavetank.apiserver.api import Api
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.nodes.usage.usage import Usage

NODES, PODS = "/apis/metrics.k8s.io/v1beta1/nodes", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"


class Measured(Caller):
    """A client of an API that measures."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.store = Store(self.clock, 1000)
        self.api = Api(self.store, measures=Usage(self.store))


def node(name: str, load: str = "") -> dict[str, Any]:
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    annotations = {"wavetank.dev/load": load} if load else {}
    status = {"capacity": amounts, "allocatable": amounts}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "annotations": annotations},
        "status": status,
    }


def pod(name: str, node: str, *containers: dict[str, str], labels: dict[str, str] | None = None) -> dict[str, Any]:
    made = [{"name": f"c{i}", "image": "x", "resources": {"requests": each}} for i, each in enumerate(containers)]
    metadata = {"name": name, "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": node, "containers": made}}


@pytest.fixture
def cluster() -> Measured:
    caller = Measured()
    for each in (node("n1"), node("n2")):
        assert caller.ask("POST", "/api/v1/nodes", each).status == 201
    half = {"cpu": "500m", "memory": "64Mi"}
    pods = (pod("a", "n1", half, {"cpu": "1"}, labels={"app": "x"}), pod("b", "n1", half), pod("waits", "n2", half))
    for each in pods:
        assert caller.ask("POST", "/api/v1/namespaces/default/pods", each).status == 201
    for name in ("a", "b"):
        status = {"status": {"phase": "Running"}}
        path = f"/api/v1/namespaces/default/pods/{name}/status"
        assert caller.ask("PATCH", path, status, content_type="application/merge-patch+json").status == 200
    return caller


def usages(answer: Answer) -> dict[str, Any]:
    return {each["metadata"]["name"]: each.get("usage") or each["containers"] for each in answer.body["items"]}


def test_nodes_use_what_their_running_pods_request(cluster: Measured) -> None:
    answer = cluster.ask("GET", NODES)
    assert answer.body["kind"] == "NodeMetricsList"
    assert usages(answer) == {"n1": {"cpu": "2", "memory": "131072Ki"}, "n2": {"cpu": "0", "memory": "0Ki"}}


def test_pods_are_told_by_container_and_only_while_they_run(cluster: Measured) -> None:
    found = usages(cluster.ask("GET", PODS))
    assert found.keys() == {"a", "b"}
    assert found["a"] == [
        {"name": "c0", "usage": {"cpu": "500m", "memory": "65536Ki"}},
        {"name": "c1", "usage": {"cpu": "1", "memory": "0Ki"}},
    ]


@pytest.mark.parametrize("query", ["labelSelector=app%3Dx", "fieldSelector=metadata.name%3Da"])
def test_pods_can_be_selected(cluster: Measured, query: str) -> None:
    assert usages(cluster.ask("GET", f"{PODS}?{query}")).keys() == {"a"}
    everywhere = f"/apis/metrics.k8s.io/v1beta1/pods?{query}"
    assert usages(cluster.ask("GET", everywhere)).keys() == {"a"}


def test_one_object_and_one_that_is_not_there(cluster: Measured) -> None:
    found = cluster.ask("GET", f"{PODS}/a").body
    times = (found["metadata"]["creationTimestamp"], found["timestamp"], found["window"])
    assert times == ("2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "15s")
    missing = cluster.ask("GET", f"{PODS}/waits")
    assert (missing.status, missing.body["message"]) == (404, 'podmetrics.metrics.k8s.io "default/waits" not found')
    assert cluster.ask("DELETE", f"{PODS}/a").status == 405


def test_the_load_of_other_programs_counts() -> None:
    caller = Measured()
    caller.ask("POST", "/api/v1/nodes", node("busy", "cpu=25%,memory=1Gi"))
    assert usages(caller.ask("GET", NODES)) == {"busy": {"cpu": "1", "memory": "1048576Ki"}}


def test_discovery_lists_it_only_if_it_is_measured(cluster: Measured) -> None:
    names = [each["name"] for each in cluster.ask("GET", "/apis/metrics.k8s.io/v1beta1").body["resources"]]
    assert names == ["nodes", "pods"]
    assert Caller().ask("GET", "/apis/metrics.k8s.io/v1beta1").status == 404


def test_a_definition_of_the_same_kinds_takes_their_place_until_it_goes(cluster: Measured) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1beta1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "nodes", "kind": "NodeMetrics"}
    spec = {"group": "metrics.k8s.io", "scope": "Cluster", "names": names, "versions": [version]}
    metadata = {"name": "nodes.metrics.k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}}
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert cluster.ask("POST", path, {**definition, "metadata": metadata, "spec": spec}).status == 201
    assert cluster.ask("GET", NODES).body["items"] == []
    assert cluster.ask("DELETE", f"{path}/nodes.metrics.k8s.io").status == 200
    assert usages(cluster.ask("GET", NODES)).keys() == {"n1", "n2"}
