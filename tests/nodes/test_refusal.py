from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nodes.clusters import KubeletCluster, a_run, latency

GI = 2**30


@pytest.mark.parametrize(
    ("requests", "reason", "message"),
    [
        pytest.param({"cpu": "3"}, "OutOfcpu", "cpu, requested: 3000, used: 2000, capacity: 4000", id="cpu"),
        pytest.param(
            {"memory": "7Gi"},
            "OutOfmemory",
            f"memory, requested: {7 * GI}, used: {2 * GI}, capacity: {8 * GI}",
            id="memory",
        ),
        pytest.param(
            {"x.io/gpu": 1}, "OutOfx.io/gpu", "x.io/gpu, requested: 1, used: 2, capacity: 2", id="anything else"
        ),
        pytest.param(
            {"memory": "7Gi", "cpu": "3"},
            "OutOfcpu",
            "cpu, requested: 3000, used: 2000, capacity: 4000",
            id="cpu before memory, whatever the pod says first",
        ),
    ],
)
def test_a_pod_that_does_not_fit_is_refused(requests: dict[str, Any], reason: str, message: str) -> None:
    cluster = KubeletCluster()
    cluster.add_node(extended={"x.io/gpu": "2"})
    cluster.started("a", requests={"cpu": "2", "memory": "2Gi", "x.io/gpu": 2})
    cluster.started("b", requests=requests)
    pod = cluster.pod("b")
    assert (pod.phase, pod.reason) == ("Failed", reason)
    assert pod.message == f"Pod was rejected: Node didn't have enough resource: {message}"
    assert pod.started is None


def test_too_many_pods_are_refused_before_anything_else() -> None:
    cluster = KubeletCluster()
    cluster.add_node(pods="1")
    cluster.started("a")
    cluster.started("b", requests={"cpu": "100"})
    assert cluster.pod("b").reason == "OutOfpods"
    assert cluster.pod("b").message.endswith("pods, requested: 1, used: 1, capacity: 1")


@pytest.mark.parametrize("requests", [{}, {"cpu": "0"}, {"x.io/gpu": 0}], ids=["nothing", "no cpu", "no gpu"])
def test_a_pod_that_asks_for_nothing_fits_a_full_node(requests: dict[str, Any]) -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="1")
    cluster.started("a", requests={"cpu": "1"})
    cluster.started("b", requests=requests)
    assert cluster.pod("b").phase == "Running"


def test_a_pod_on_a_node_that_it_does_not_want_is_refused() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(nodeSelector={"disk": "ssd"})
    assert (cluster.pod("a").phase, cluster.pod("a").reason) == ("Failed", "NodeAffinity")
    expected = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
    assert cluster.pod("a").message == f"Pod was rejected: {expected}"


def test_the_room_of_a_pod_that_ended_is_free_at_once() -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="1")
    cluster.started("a", a_run(5), requests={"cpu": "1"})
    cluster.at(5, lambda: cluster.started("b", requests={"cpu": "1"}))
    cluster.run_to_end()
    assert cluster.pod("b").phase == "Running"


def test_a_rejected_pod_reserves_nothing() -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="2")
    cluster.started("a", requests={"cpu": "3"})
    cluster.started("b", requests={"cpu": "2"})
    assert [cluster.pod(name).phase for name in "ab"] == ["Failed", "Running"]


def test_pods_are_admitted_first_come_first_served() -> None:
    cluster = KubeletCluster(latency(sync=1, start=10))
    cluster.add_node(cpu="1")
    cluster.started("a", requests={"cpu": "1"})
    cluster.started("b", requests={"cpu": "1"})
    cluster.run_until(1)
    assert [cluster.pod(name).phase for name in "ab"] == ["Pending", "Failed"]


@pytest.mark.parametrize("phase", ["Pending", "Running"])
def test_pods_that_come_bound_are_kept_even_if_they_over_commit_their_node(phase: str) -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="1")
    for name in "ab":
        cluster.submit(name, a_run(5), phase, nodeName="n", requests={"cpu": "1"})
    cluster.started("c", requests={"cpu": "1"})
    cluster.run_to_end()
    assert [cluster.pod(name).phase for name in "abc"] == ["Succeeded", "Succeeded", "Failed"]


def test_pods_that_wait_for_their_node_are_refused_like_others() -> None:
    cluster = KubeletCluster()
    cluster.submit("a", a_run(5), "Running", nodeName="n", requests={"cpu": "1"})
    cluster.submit("b", a_run(5), nodeName="n", requests={"cpu": "1"})
    cluster.at(3, lambda: cluster.add_node(cpu="1"))
    cluster.run_to_end()
    assert (cluster.pod("a").phase, cluster.pod("b").reason) == ("Succeeded", "OutOfcpu")


ASKED = st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(1, 30))


@settings(max_examples=60)
@given(st.lists(ASKED, max_size=12), st.integers(1, 4))
def test_a_node_never_gives_more_than_it_has_and_gets_all_of_it_back(
    pods: list[tuple[int, int, int]], capacity: int
) -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu=capacity, pods="4")
    for number, (cpu, at, duration) in enumerate(pods):
        cluster.at(at, lambda n=number, c=cpu, d=duration: cluster.started(f"p{n}", a_run(d), requests={"cpu": c}))  # type: ignore[misc]
    for instant in range(62):
        cluster.run_until(instant)
        running = [pod for pod in cluster.store.list("Pod") if pod.phase == "Running"]
        assert sum(pod.requests["cpu"] for pod in running) <= 1000 * capacity
        assert len(running) <= 4
    cluster.started("last", a_run(1), requests={"cpu": capacity})
    cluster.run_to_end()
    assert cluster.pod("last").phase == "Succeeded"


def test_a_pod_that_is_created_bound_later_has_to_fit() -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="1")
    cluster.kubelets.loaded()
    for name in ("a", "b"):
        cluster.submit(name, a_run(5), nodeName="n", requests={"cpu": "1"})
    cluster.submit("c", a_run(5), "Running", nodeName="n", requests={"cpu": "1"})
    assert [cluster.pod(name).phase for name in "abc"] == ["Running", "Failed", "Running"]
    assert cluster.pod("b").reason == "OutOfcpu"
