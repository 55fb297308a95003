"""HorizontalPodAutoscalers in both versions: v1 keeps in annotations what it has no field for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller

PREFIX = "autoscaling.alpha.kubernetes.io/"
V1, V2 = (f"/apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers" for version in ("v1", "v2"))
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
QUEUE = {"name": "queue", "selector": {"matchLabels": {"app": "web"}}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "name": "front"}


def metric(kind: str, field: str, **source: Any) -> dict[str, Any]:
    return {"type": kind, field: source}


def average(value: str) -> dict[str, str]:
    return {"type": "AverageValue", "averageValue": value}


def value(amount: str) -> dict[str, str]:
    return {"type": "Value", "value": amount}


CASES = [
    pytest.param(
        metric("Resource", "resource", name="memory", target={"type": "Utilization", "averageUtilization": 70}),
        {"name": "memory", "targetAverageUtilization": 70},
        id="a share of memory",
    ),
    pytest.param(
        metric("Resource", "resource", name="cpu", target=average("500m")),
        {"name": "cpu", "targetAverageValue": "500m"},
        id="an amount of CPU",
    ),
    pytest.param(
        metric("ContainerResource", "containerResource", name="cpu", container="main", target=average("1")),
        {"name": "cpu", "container": "main", "targetAverageValue": "1"},
        id="one container",
    ),
    pytest.param(
        metric("Pods", "pods", metric=QUEUE, target=average("30")),
        {"metricName": "queue", "selector": QUEUE["selector"], "targetAverageValue": "30"},
        id="a metric of pods",
    ),
    pytest.param(
        metric("Object", "object", metric=QUEUE, describedObject=SERVICE, target=value("9")),
        {"target": SERVICE, "metricName": "queue", "selector": QUEUE["selector"], "targetValue": "9"},
        id="a metric of an object",
    ),
    pytest.param(
        metric("Object", "object", metric=QUEUE, describedObject=SERVICE, target=average("9")),
        {"target": SERVICE, "metricName": "queue", "selector": QUEUE["selector"], "averageValue": "9"},
        id="a metric of an object, per pod",
    ),
    pytest.param(
        metric("External", "external", metric=QUEUE, target=value("9")),
        {"metricName": "queue", "metricSelector": QUEUE["selector"], "targetValue": "9"},
        id="an external metric",
    ),
]


def autoscaler(version: str, annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    metadata = {"name": "web", **({"annotations": annotations} if annotations else {})}
    head = {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": metadata}
    return {**head, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 5, **spec}}


@pytest.mark.parametrize(("given", "expected"), CASES)
def test_v1_shows_a_metric_of_v2_in_an_annotation(given: dict[str, Any], expected: dict[str, Any]) -> None:
    caller = Caller()
    caller.create(V2, autoscaler("v2", metrics=[given]))
    (shown,) = json.loads(caller.get(f"{V1}/web").body["metadata"]["annotations"][f"{PREFIX}metrics"])
    (source,) = (part for name, part in shown.items() if name != "type")
    assert (shown["type"], source) == (given["type"], expected)


@pytest.mark.parametrize(("given", "expected"), CASES)
def test_a_metric_comes_back_from_v1_as_it_was(given: dict[str, Any], expected: dict[str, Any]) -> None:
    caller = Caller()
    caller.create(V2, autoscaler("v2", metrics=[given]))
    before = caller.get(f"{V2}/web").body["spec"]
    caller.ask("PUT", f"{V1}/web", caller.get(f"{V1}/web").body)
    assert caller.get(f"{V2}/web").body["spec"] == before


def test_a_share_of_cpu_has_a_field_in_v1() -> None:
    caller = Caller()
    caller.create(V1, autoscaler("v1", targetCPUUtilizationPercentage=60))
    (stored,) = caller.get(f"{V2}/web").body["spec"]["metrics"]
    assert stored["resource"] == {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}
    assert caller.get(f"{V1}/web").body["spec"]["targetCPUUtilizationPercentage"] == 60
    assert "annotations" not in caller.get(f"{V1}/web").body["metadata"]


def test_without_a_metric_the_target_is_80_percent_of_cpu() -> None:
    caller = Caller()
    caller.create(V1, autoscaler("v1"))
    (stored,) = caller.get(f"{V2}/web").body["spec"]["metrics"]
    assert stored["resource"]["target"]["averageUtilization"] == 80


def test_the_behavior_goes_through_v1() -> None:
    caller = Caller()
    behavior = {"scaleDown": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}], "selectPolicy": "Min"}}
    caller.create(V2, autoscaler("v2", behavior=behavior))
    before = caller.get(f"{V2}/web").body["spec"]["behavior"]
    shown = caller.get(f"{V1}/web").body
    assert "ScaleDown" in json.loads(shown["metadata"]["annotations"][f"{PREFIX}behavior"])
    caller.ask("PUT", f"{V1}/web", shown)
    assert caller.get(f"{V2}/web").body["spec"]["behavior"] == before


def test_a_spoiled_annotation_is_ignored() -> None:
    caller = Caller()
    caller.create(V1, autoscaler("v1", {f"{PREFIX}metrics": "{", "mine": "stays"}, targetCPUUtilizationPercentage=60))
    stored = caller.get(f"{V2}/web").body
    assert len(stored["spec"]["metrics"]) == 1
    assert stored["metadata"]["annotations"] == {"mine": "stays"}


@pytest.mark.parametrize("name", ["metrics", "current-metrics", "conditions", "behavior"])
@pytest.mark.parametrize(
    "text", ["[[]]", "[1]", '[{"type":[]}]', '[{"type":"Pods","pods":[1]}]', '{"ScaleUp":1}', "null"]
)
def test_an_annotation_of_another_shape_is_ignored(name: str, text: str) -> None:
    """As an unreadable one in the real server, and no error of this one."""
    caller = Caller()
    caller.create(V1, autoscaler("v1", {f"{PREFIX}{name}": text}, targetCPUUtilizationPercentage=60))
    spec = caller.get(f"{V2}/web").body["spec"]
    assert (len(spec["metrics"]), spec.get("behavior")) == (1, None)
