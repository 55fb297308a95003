"""custom.metrics.k8s.io and external.metrics.k8s.io are served and discovered if there are such metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from wavetank.apiserver.api import Api
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.metrics.document import MetricsSpec

CUSTOM, EXTERNAL = "/apis/custom.metrics.k8s.io", "/apis/external.metrics.k8s.io/v1beta1"
SPEC = {
    "window": "30s",
    "loads": [{"metric": "rps", "each": "2500m"}],
    "objects": [{"metric": "hits", "resource": "ingresses.networking.k8s.io", "name": "front", "value": 7}],
    "external": [{"metric": "queue", "labels": {"shard": "1"}, "value": 40}],
}
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class Measured(Caller):
    def __init__(self, spec: dict[str, Any]) -> None:
        self.clock = Clock()
        self.store = Store(self.clock, 1000)
        metrics = ClusterMetrics(self.store, MetricsSpec.read(spec, "").setting(Path()))
        self.api = Api(self.store, measures=metrics, metrics=metrics)


@pytest.fixture
def cluster() -> Measured:
    caller = Measured(SPEC)
    pod = {"metadata": {"name": "a", "labels": {"app": "x"}}, "spec": {"nodeName": "n"}}
    pod["spec"]["containers"] = [{"name": "c", "image": "x"}]
    caller.create("/api/v1/namespaces/default/pods", {"apiVersion": "v1", "kind": "Pod", **pod})
    path = "/api/v1/namespaces/default/pods/a/status"
    assert caller.merge(path, {"status": {"phase": "Running"}}).status == 200
    return caller


def test_groups_without_metrics_are_not_served() -> None:
    caller = Measured({})
    names = [group["name"] for group in caller.get("/apis").body["groups"]]
    assert "metrics.k8s.io" in names
    assert not {"custom.metrics.k8s.io", "external.metrics.k8s.io"} & set(names)
    assert caller.get(f"{EXTERNAL}/namespaces/default/queue").status == 404


def test_groups_and_metrics_are_discovered(cluster: Measured) -> None:
    groups = {group["name"]: group for group in cluster.get("/apis").body["groups"]}
    assert groups["custom.metrics.k8s.io"]["preferredVersion"]["version"] == "v1beta2"
    for version in ("v1beta1", "v1beta2"):
        names = [each["name"] for each in cluster.get(f"{CUSTOM}/{version}").body["resources"]]
        assert names == ["pods/rps", "ingresses.networking.k8s.io/hits"]
    assert [each["name"] for each in cluster.get(EXTERNAL).body["resources"]] == ["queue"]
    listed = json.loads(cluster.get("/apis", accept=AGGREGATED).body)["items"]
    items = {each["metadata"]["name"]: each for each in listed}
    (pods, _) = items["custom.metrics.k8s.io"]["versions"][0]["resources"]
    assert [each["subresource"] for each in pods["subresources"]] == ["rps"]


def test_a_metric_of_pods_is_listed_in_both_versions(cluster: Measured) -> None:
    for selector, count in (("app%3Dx", 1), ("app%3Dy", 0)):
        path = f"{CUSTOM}/v1beta2/namespaces/default/pods/*/rps?labelSelector={selector}"
        assert len(cluster.get(path).body["items"]) == count
    (item,) = cluster.get(f"{CUSTOM}/v1beta2/namespaces/default/pods/*/rps").body["items"]
    assert item["describedObject"] == {"kind": "Pod", "apiVersion": "v1", "namespace": "default", "name": "a"}
    assert (item["metric"]["name"], item["value"], item["windowSeconds"]) == ("rps", "2500m", 30)
    assert item["timestamp"] == "2030-01-01T00:00:00Z"
    (item,) = cluster.get(f"{CUSTOM}/v1beta1/namespaces/default/pods/*/rps").body["items"]
    assert (item["metricName"], item["value"]) == ("rps", "2500m")


def test_a_metric_of_an_object_and_an_external_one_are_served(cluster: Measured) -> None:
    path = f"{CUSTOM}/v1beta2/namespaces/default/ingresses.networking.k8s.io/front/hits"
    (item,) = cluster.get(path).body["items"]
    assert (item["describedObject"]["kind"], item["value"]) == ("Ingress", "7")
    (item,) = cluster.get(f"{EXTERNAL}/namespaces/default/queue?labelSelector=shard%3D1").body["items"]
    assert (item["metricName"], item["metricLabels"], item["value"]) == ("queue", {"shard": "1"}, "40")
    assert cluster.get(f"{EXTERNAL}/namespaces/default/queue?labelSelector=shard%3D2").body["items"] == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        pytest.param(f"{CUSTOM}/v1beta2/namespaces/default/pods/*/latency", "the metric latency for pods", id="pods"),
        pytest.param(f"{CUSTOM}/v1beta2/namespaces/default/services/web/x", "the metric x for services", id="object"),
        pytest.param(f"{EXTERNAL}/namespaces/default/lag", "the metric lag for namespace default", id="external"),
        pytest.param(f"{EXTERNAL}/queue", "could not find the requested resource", id="no such path"),
    ],
)
def test_a_metric_that_is_not_there_is_not_found(cluster: Measured, path: str, message: str) -> None:
    answer = cluster.get(path)
    assert answer.status == 404
    assert message in answer.body["message"]
