from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.experiments.autoscaling.clusters import HPA, parsed, total
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment
from wavetank.kernel.durations import SECOND


def autoscaler_of(experiment: Experiment) -> Any:
    return experiment.cluster.manifests[-1]


def test_a_short_hpa_is_a_manifest_of_autoscaling_v2(tmp_path: Path) -> None:
    rules = {"window": "2m", "policies": [{"percent": 10, "period": "1m"}], "select": "Min", "tolerance": 0.05}
    metrics = [
        {"type": "pods", "metric": "requests", "average": 100},
        {"type": "object", "metric": "hits", "object": "Service/web", "value": "1k"},
        {"type": "external", "metric": "queue", "labels": {"name": "mail"}, "average": 30},
        {"type": "container", "container": "web", "resource": "memory", "target": "100Mi"},
    ]
    short = {**HPA, "name": "front", "memory": "200Mi", "metrics": metrics, "scaleDown": rules}
    assert autoscaler_of(parsed(tmp_path, hpa=[short])) == {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "front", "namespace": "default"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 2,
            "maxReplicas": 20,
            "metrics": [
                _metric("Resource", {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}),
                _metric("Resource", {"name": "memory", "target": _average("200Mi")}),
                _metric("Pods", {"metric": {"name": "requests"}, "target": _average("100")}),
                _metric(
                    "Object",
                    {
                        "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "web"},
                        "metric": {"name": "hits"},
                        "target": {"type": "Value", "value": "1k"},
                    },
                ),
                _metric(
                    "External",
                    {
                        "metric": {"name": "queue", "selector": {"matchLabels": {"name": "mail"}}},
                        "target": _average("30"),
                    },
                ),
                _metric("ContainerResource", {"name": "memory", "container": "web", "target": _average("100Mi")}),
            ],
            "behavior": {
                "scaleDown": {
                    "stabilizationWindowSeconds": 120,
                    "policies": [{"type": "Percent", "value": 10, "periodSeconds": 60}],
                    "selectPolicy": "Min",
                    "tolerance": "0.05",
                }
            },
        },
    }


def _metric(kind: str, source: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, kind[0].lower() + kind[1:]: source}


def _average(quantity: str) -> dict[str, str]:
    return {"type": "AverageValue", "averageValue": quantity}


@pytest.mark.parametrize(
    ("given", "target"),
    [
        (60, {"type": "Utilization", "averageUtilization": 60}),
        ("60%", {"type": "Utilization", "averageUtilization": 60}),
        ("250m", _average("250m")),
        (0.25, _average("0.25")),
    ],
)
def test_a_target_is_a_percentage_or_a_quantity(given: object, target: dict[str, Any], tmp_path: Path) -> None:
    metrics = autoscaler_of(parsed(tmp_path, hpa=[{**HPA, "cpu": given}]))["spec"]["metrics"]
    assert metrics == [_metric("Resource", {"name": "cpu", "target": target})]


def test_an_hpa_without_metrics_has_kubernetes_own_target(tmp_path: Path) -> None:
    [metric] = autoscaler_of(parsed(tmp_path, hpa=[{"target": "web", "max": 5}]))["spec"]["metrics"]
    assert metric["resource"]["target"] == {"type": "Utilization", "averageUtilization": 80}


def test_other_kinds_are_named_with_their_target(tmp_path: Path) -> None:
    spec = autoscaler_of(parsed(tmp_path, hpa=[{**HPA, "target": "StatefulSet/db"}]))["spec"]
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}


def test_settings_of_the_controller_are_flags(tmp_path: Path) -> None:
    experiment = parsed(tmp_path, autoscaling={"syncPeriod": "30s", "tolerance": 0.2})
    assert experiment.controller_flags == {
        "horizontal-pod-autoscaler-sync-period": "30s",
        "horizontal-pod-autoscaler-tolerance": "0.2",
        "horizontal-pod-autoscaler-downscale-stabilization": "300s",
        "horizontal-pod-autoscaler-cpu-initialization-period": "300s",
        "horizontal-pod-autoscaler-initial-readiness-delay": "30s",
    }
    assert parsed(tmp_path).controller_flags == {}


def test_metrics_have_resolution_window_and_lag(tmp_path: Path) -> None:
    setting = parsed(tmp_path, metrics={"resolution": "1m", "window": "30s", "lag": "10s", **total(("0s", 1))}).metrics
    assert setting is not None
    assert (setting.resolution, setting.window, setting.lag) == (60 * SECOND, 30 * SECOND, 10 * SECOND)
    assert setting.loads[0].series.at(0) == 1000


def test_a_daily_curve_has_its_peak_and_its_mean(tmp_path: Path) -> None:
    curve = {"diurnal": {"mean": 10, "swing": 0.5, "peak": "12h"}}
    setting = parsed(tmp_path, metrics={"loads": [{"total": curve}]}).metrics
    assert setting is not None
    values = [setting.loads[0].series.at(hour * 3600 * SECOND) for hour in (0, 6, 12, 18, 24)]
    assert values == [5000, 10_000, 15_000, 10_000, 5000]


def test_no_replicas_at_all_need_the_feature_gate(tmp_path: Path) -> None:
    by_queue = {
        "target": "web",
        "min": 0,
        "max": 5,
        "metrics": [{"type": "external", "metric": "queue", "average": 1}],
    }
    with pytest.raises(InputError, match=r"spec.minReplicas: Invalid value: 0"):
        parsed(tmp_path, hpa=[by_queue])
    gated = parsed(tmp_path, hpa=[by_queue], autoscaling={"featureGates": {"HPAScaleToZero": True}})
    assert autoscaler_of(gated)["spec"]["minReplicas"] == 0


@pytest.mark.parametrize(
    ("spec", "path", "message"),
    [
        ({"hpa": [{**HPA, "min": 30}]}, "spec.hpa[0].min", "expected at most max (20), got 30"),
        ({"hpa": [{**HPA, "cpu": True}]}, "spec.hpa[0].cpu", "expected a quantity"),
        ({"hpa": [{**HPA, "target": "Pet/web"}]}, "spec.hpa[0].target", "expected a name or KIND/NAME"),
        ({"hpa": [{**HPA, "scaleUp": {"window": "2h"}}]}, "spec.hpa[0]", "must be less than or equal to 3600"),
        ({"hpa": [{**HPA, "scaleUp": {"window": "0.5s"}}]}, "spec.hpa[0].scaleUp.window", "expected whole seconds"),
        ({"hpa": [HPA, HPA]}, "spec.hpa[1]", "already exists"),
        ({"horizon": None}, "spec.horizon", "needs an end"),
        ({"hpa": [{**HPA, "model": "Fake", "memory": 50}]}, "spec.hpa[0].memory", "the model Fake has no memory"),
        ({"hpa": [{**HPA, "model": "Reactive"}]}, "spec.hpa[0].model", "did you mean SimpleReactive?"),
        ({"autoscaling": {"syncPeriod": 0}}, "spec.autoscaling.syncPeriod", "need some time between them"),
        ({"autoscaling": {"featureGates": {"HPA": True}}}, "spec.autoscaling.featureGates", "unknown field 'HPA'"),
        ({"metrics": {"loads": [{}]}}, "spec.metrics.loads[0]", "each, total, share"),
        ({"metrics": {"loads": [{"total": {"function": "no_such:f"}}]}}, "spec.metrics", "cannot import no_such"),
    ],
)
def test_no_autoscaling(spec: dict[str, Any], path: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        parsed(tmp_path, **spec)
    assert (caught.value.path, message in caught.value.message) == (path, True), caught.value


def test_a_manifest_in_the_cluster_is_checked_as_the_api_does(tmp_path: Path) -> None:
    manifest = {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "resourceVersion": "17"},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "minReplicas": 5, "maxReplicas": 4},
    }
    nodes = [{"cpu": 1, "memory": "1Gi"}]
    with pytest.raises(InputError, match="must be greater than or equal to `minReplicas`"):
        parsed(tmp_path, hpa=[], cluster={"nodes": nodes, "objects": [manifest]})


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ("0,1\n60,\n", "line 2", "the value is missing"),
        ("time,value\n60,1\n30,2\n", "line 3", "its time is not after that of the line before"),
    ],
)
def test_a_series_with_gaps_or_out_of_order_is_named(lines: str, line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "load.csv"
    file.write_text(lines)
    with pytest.raises(InputError) as caught:
        parsed(tmp_path, metrics={"loads": [{"total": {"file": "load.csv"}}]})
    assert (caught.value.source, caught.value.path, caught.value.message) == (str(file), line, message)
