from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wavetank.cluster.fields.selectors import EVERYTHING, parse_selector_text
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.metricsclient import MetricsError, ObjectReference
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.metrics.document import MetricsSpec

WEB = parse_selector_text("app=web")


class Measured:
    """Two pods of two containers each, 400m and 100m, that run since time 0."""

    def __init__(self, **spec: Any) -> None:
        self.clock = Clock()
        self.store = Store(self.clock)
        for name in ("a", "b"):
            self.pod(name)
        self.metrics = ClusterMetrics(self.store, MetricsSpec.read(spec, "").setting(Path()))

    def pod(self, name: str, phase: str = "Running") -> None:
        containers = [
            {"name": each, "image": "x", "resources": {"requests": {"cpu": cpu, "memory": "1Mi"}}}
            for each, cpu in (("app", "400m"), ("proxy", "100m"))
        ]
        manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": {"app": "web"}},
            "spec": {"nodeName": "n", "containers": containers},
            "status": {"phase": phase},
        }
        pod = Pod.parse(manifest, self.store.specs)
        pod.started = self.clock.now
        self.store.create(pod)

    def cpu(self, container: str = "") -> dict[str, int]:
        answer = self.metrics.resource_metric("cpu", "default", WEB, container)
        return dict(zip(answer.names, answer.values, strict=True))


def test_a_pod_without_a_load_uses_what_it_requests() -> None:
    world = Measured()
    assert world.cpu() == {"a": 500, "b": 500}
    assert world.cpu("proxy") == {"a": 100, "b": 100}
    assert world.metrics.containers(world.store.get("Pod", "default", "a"))["app"] == (400, 2**20)


@pytest.mark.parametrize(
    ("load", "pod", "app", "proxy"),
    [
        pytest.param({"each": "250m"}, 250, 250, 0, id="each: all of it by the first container"),
        pytest.param({"each": "250m", "container": "proxy"}, 250, 0, 250, id="or by a named one"),
        pytest.param({"total": 3}, 1500, 1500, 0, id="a total in equal parts"),
        pytest.param({"share": 0.5}, 200, 200, 0, id="a share of the container's request"),
        pytest.param({"each": 1, "selector": {"app": "db"}}, 500, 400, 100, id="a load of other pods"),
    ],
)
def test_a_load_says_what_pods_use(load: dict[str, Any], pod: int, app: int, proxy: int) -> None:
    world = Measured(loads=[load])
    assert world.cpu() == {"a": pod, "b": pod}
    assert (world.cpu("app")["a"], world.cpu("proxy")["a"]) == (app, proxy)


def test_of_several_loads_on_a_container_the_first_counts() -> None:
    world = Measured(loads=[{"each": 1}, {"each": 2}, {"each": 3, "container": "proxy"}])
    assert world.cpu() == {"a": 4000, "b": 4000}


def test_single_pods_may_have_a_load_of_their_own() -> None:
    world = Measured(loads=[{"pods": ["b"], "each": 2}, {"each": 1}])
    assert world.cpu() == {"a": 1000, "b": 2000}


@pytest.mark.parametrize("load", [{}, {"container": "proxy"}, {"metric": "memory"}], ids=["app", "proxy", "memory"])
def test_a_pod_is_not_measured_while_one_of_its_loads_has_no_value(load: dict[str, Any]) -> None:
    world = Measured(loads=[{"pods": ["a"], "each": {"steps": [["10s", 1]]}, **load}])
    pods = [world.store.get("Pod", "default", name) for name in ("a", "b")]
    assert (list(world.cpu()), list(world.cpu("app"))) == (["b"], ["b"])
    assert [bool(world.metrics.containers(pod)) for pod in pods] == [False, True]
    world.clock.run(10 * SECOND)
    assert sorted(world.cpu()) == ["a", "b"]
    assert [bool(world.metrics.containers(pod)) for pod in pods] == [True, True]


def test_pods_that_come_and_go_share_the_total_anew() -> None:
    world = Measured(loads=[{"total": 3, "idle": "10m"}])
    world.pod("c")
    world.pod("pending", "Pending")
    assert world.cpu() == {"a": 1000, "b": 1000, "c": 1000}
    going = world.store.get("Pod", "default", "b").copy()
    going.deleted = 30 * SECOND
    world.store.update(going)
    assert world.cpu() == {"a": 1500, "c": 1500, "b": 10}
    world.store.delete(world.store.get("Pod", "default", "b"))
    assert world.cpu() == {"a": 1500, "c": 1500}


def test_values_are_those_of_the_last_measurement() -> None:
    steps = {"steps": [[0, 1], ["20s", 2]]}
    world = Measured(resolution="15s", lag="5s", window="30s", loads=[{"each": steps}])
    world.clock.run(34 * SECOND)
    world.pod("late")
    assert world.cpu() == {"a": 1000, "b": 1000}  # measured at 15 s
    world.clock.run(36 * SECOND)
    answer = world.metrics.resource_metric("cpu", "default", WEB, "")
    assert answer == (("a", "b"), [2000, 2000], [30 * SECOND] * 2, [30 * SECOND] * 2)
    world.clock.run(51 * SECOND)
    assert world.cpu() == {"a": 2000, "b": 2000, "late": 2000}


def test_series_begin_with_the_cluster_whatever_its_clock_says() -> None:
    clock = Clock(-1000 * SECOND)
    external = {"external": [{"metric": "queue", "value": {"steps": [[0, 1], ["20s", 2]]}}]}
    metrics = ClusterMetrics(Store(clock), MetricsSpec.read(external, "").setting(Path()))
    assert metrics.external_metric("queue", "default", EVERYTHING) == [1000]
    clock.run(-980 * SECOND)
    assert metrics.external_metric("queue", "default", EVERYTHING) == [2000]


def test_the_same_pods_are_named_by_the_same_tuple() -> None:
    world = Measured(loads=[{"total": {"steps": [[0, 1], ["20s", 2]]}}])
    before = world.metrics.resource_metric("cpu", "default", WEB, "").names
    world.clock.run(30 * SECOND)
    assert world.metrics.resource_metric("cpu", "default", WEB, "").names is before


def test_custom_and_external_metrics_follow_their_series() -> None:
    world = Measured(
        loads=[{"metric": "rps", "total": 30}],
        objects=[{"metric": "hits", "resource": "services", "name": "web", "value": 7}],
        external=[
            {"metric": "queue", "labels": {"shard": "1"}, "value": 40},
            {"metric": "queue", "labels": {"shard": "2"}, "value": {"steps": [["10s", 60]]}},
        ],
    )
    metrics = world.metrics
    assert metrics.pods_metric("rps", "default", WEB, EVERYTHING)[:2] == (("a", "b"), [15000, 15000])
    assert metrics.object_metric("hits", "default", ObjectReference("v1", "Service", "web"), EVERYTHING) == 7000
    assert metrics.external_metric("queue", "default", EVERYTHING) == [40000]
    world.clock.run(10 * SECOND)
    assert metrics.external_metric("queue", "default", EVERYTHING) == [40000, 60000]
    assert metrics.external_metric("queue", "default", parse_selector_text("shard=2")) == [60000]
    with pytest.raises(MetricsError, match="could not find the metric latency"):
        metrics.pods_metric("latency", "default", WEB, EVERYTHING)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        pytest.param({"loads": [{"metric": "cpu"}]}, r"loads\[0\]: expected exactly one of each", id="no series"),
        pytest.param(
            {"loads": [{"each": {"steps": [[5, 1], [5, 2]]}}]}, r"each.steps\[1\]: its time is not", id="out of order"
        ),
        pytest.param({"loads": [{"each": "much"}]}, r"loads\[0\].each.value: 'much' is not a quantity", id="no number"),
        pytest.param({"loads": [{"each": {"function": "here"}}]}, "expected module:function", id="no function"),
        pytest.param({"loads": [{"pods": ["a"], "total": 1}]}, "single pods have no total", id="a total of one"),
        pytest.param({"load": []}, "did you mean loads", id="an unknown field"),
    ],
)
def test_what_is_wrong_with_a_document_is_named(spec: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        MetricsSpec.read(spec, "").setting(Path())


def test_a_function_comes_from_a_module_beside_the_document(tmp_path: Path) -> None:
    (tmp_path / "dailycurve.py").write_text("def cores(seconds):\n    return 1 + seconds / 100\n")
    spec = MetricsSpec.read({"loads": [{"each": {"function": "dailycurve:cores"}}]}, "")
    assert spec.setting(tmp_path).loads[0].series.at(50 * SECOND) == 1500
