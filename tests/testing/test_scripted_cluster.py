"""A scripted cluster does what its script says, at the instants that it says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.real.clusters import VERSION, real_manager
from wavetank.errors import InputError, WavetankError
from wavetank.testing import PodTimes, ScriptedCluster, Signal

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: i, resources: {requests: {cpu: 500m}}}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 10
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
"""
REAL = {"version": VERSION, "controllers": ["horizontal-pod-autoscaler-controller"]}


def ready(cluster: ScriptedCluster) -> list[str]:
    """Returns the Ready condition of each pod."""
    conditions = [pod["status"].get("conditions") or () for pod in cluster.list("pods")]
    return [each["status"] for of_pod in conditions for each in of_pod if each["type"] == "Ready"]


def test_objects_are_created_changed_and_deleted_at_their_times() -> None:
    with ScriptedCluster() as cluster:
        cluster.create(WEB, at="5s")
        cluster.patch("deploy", "web", {"spec": {"replicas": 3}}, at="10s")
        cluster.delete("hpa", "web", at="12s")
        cluster.run("4s")
        assert cluster.list("Deployment") == []
        cluster.run("6s")
        assert (cluster.now, len(cluster.list("pods"))) == (6.0, 2)
        cluster.run("11s")
        assert cluster.get("deployments.apps", "web", subresource="scale")["spec"] == {"replicas": 3}
        assert len(cluster.list("hpa", namespace="default")) == 1
        cluster.run_for(2)
        assert cluster.list("hpa") == []


def test_pods_start_become_ready_and_end_by_the_script() -> None:
    with ScriptedCluster(kubelets=PodTimes(start="2s", ready="10s", stop="5s")) as cluster:
        cluster.create(WEB)
        cluster.run("1.9s")
        assert [pod["status"]["phase"] for pod in cluster.list("pods")] == ["Pending", "Pending"]
        cluster.run("2.1s")
        assert ready(cluster) == ["False", "False"]
        cluster.run("12.1s")
        assert ready(cluster) == ["True", "True"]
        name = cluster.list("pods")[0]["metadata"]["name"]
        cluster.set_ready(name, False, at="13s")
        cluster.run("13s")
        assert sorted(ready(cluster)) == ["False", "True"]
        cluster.delete("pod", name)
        cluster.run("17.9s")
        assert name in [pod["metadata"]["name"] for pod in cluster.list("pods")]
        cluster.run("18.1s")
        assert name not in [pod["metadata"]["name"] for pod in cluster.list("pods")]


def test_each_pod_may_have_times_of_its_own() -> None:
    times = iter([PodTimes(), PodTimes(start=None)])
    with ScriptedCluster(kubelets=lambda pod: next(times)) as cluster:
        cluster.create(WEB)
        cluster.run("10s")
        assert sorted(pod["status"]["phase"] for pod in cluster.list("pods")) == ["Pending", "Running"]


def test_a_signal_holds_each_value_until_the_next() -> None:
    signal = Signal("250m")
    signal.set(None, at="20s")
    signal.set(2, at=10)
    signal.set(3, at=10)
    assert [signal.at(second * 10**9) for second in (0, 9, 10, 19, 20)] == [250, 250, 3000, 3000, None]


@pytest.mark.parametrize("process", [None, REAL], ids=["built-in", "real"])
def test_a_load_and_a_fault_are_seen_by_the_autoscaler(process: dict[str, Any] | None) -> None:
    if process is not None:
        real_manager()
    load = Signal("500m")
    load.set("2", at="100s")
    metrics = {
        "loads": [{"selector": {"app": "web"}, "total": load}],
        "external": [{"metric": "queue", "value": lambda second: second}],
    }
    flags = {"horizontal-pod-autoscaler-sync-period": "20s"}
    with ScriptedCluster(process=process, metrics=metrics, flags=flags) as cluster:
        cluster.create(WEB, at="1s")
        cluster.refuse("metrics.k8s.io/v1beta1", start="90s", end="130s", message="not today")
        cluster.run("150s")
        scaled = [(round(each.time), each.body, each.status) for each in cluster.requests("PUT", "/web/scale$")]
        assert [(time, body["spec"]["replicas"], status) for time, body, status in scaled if body] == [(141, 4, 200)]
        asked = [each for each in cluster.requests("GET", "^/apis/metrics.k8s.io/v1beta1/namespaces") if each.time > 1]
        assert [round(each.time) for each in asked] == [21, 41, 61, 81, 101, 121, 141]
        failed = [each for each in cluster.events("web") if each.reason == "FailedGetResourceMetric"]
        assert (failed[-1].kind, failed[-1].count) == ("HorizontalPodAutoscaler", 2)
        assert failed[-1].message.endswith("not today")
        assert bool(cluster.log) == (process is not None)


TARGET = {"type": "AverageValue", "averageValue": "10"}
NOT_REGISTERED = "no custom metrics API (custom.metrics.k8s.io) registered"


@pytest.mark.parametrize("process", [None, REAL], ids=["built-in", "real"])
@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            {"type": "External", "external": {"metric": {"name": "q"}, "target": TARGET}},
            "the server could not find the requested resource (get q.external.metrics.k8s.io)",
        ),
        ({"type": "Pods", "pods": {"metric": {"name": "q"}, "target": TARGET}}, NOT_REGISTERED),
    ],
    ids=["external", "custom"],
)
def test_a_metrics_api_that_is_not_served_is_a_condition(
    metric: dict[str, Any], message: str, process: dict[str, Any] | None
) -> None:
    if process is not None:
        real_manager()
    with ScriptedCluster(process=process) as cluster:
        cluster.create(WEB)
        cluster.patch("hpa", "web", {"spec": {"metrics": [metric]}})
        cluster.run("20s")
        conditions = {each["type"]: each for each in cluster.get("hpa", "web")["status"]["conditions"]}
        assert conditions["ScalingActive"]["status"] == "False"
        assert conditions["ScalingActive"]["message"].endswith(message)


def test_requests_are_refused_only_so_often() -> None:
    with ScriptedCluster() as cluster:
        cluster.refuse("/pods$", method="POST", times=1, code=500, message="try again")
        cluster.create(WEB)
        cluster.delete("hpa", "web")
        cluster.run("30s")
        created = [each.status for each in cluster.requests("POST", "/pods$")]
        assert created == [500, 201, 201]
        assert len(cluster.list("pods")) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metrics": {"loads": [{"each": "lots"}]}}, r"metrics.loads\[0\].each"),
        ({"controllers": ["nope"]}, "controllers: unknown controller 'nope'"),
        ({"process": {"version": "v1.2.3"}}, "process: kube-controller-manager v1.2.3 is not built"),
        ({"schedulers": ["defualt"]}, "did you mean default"),
        ({"cluster": {"nodes": [{"cpus": 1}]}}, r"cluster.nodes\[0\]: unknown field 'cpus'"),
        ({"feature_gates": "Nope=true"}, "unknown feature gate 'Nope'"),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ScriptedCluster(**given)


def test_mistakes_of_a_script_are_named() -> None:
    with ScriptedCluster() as cluster:
        cluster.run("10s")
        with pytest.raises(InputError, match=r"at: 5 is over: it is 10\.0 s"):
            cluster.at(5, lambda: None)
        with pytest.raises(InputError, match="the cluster serves no kind 'webs'"):
            cluster.get("webs", "a")
        with pytest.raises(InputError, match="only scripted pods can be made ready"):
            cluster.set_ready("a", True)
        with pytest.raises(WavetankError, match='pods "a" not found'):
            cluster.get("pods", "a")
