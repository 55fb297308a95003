from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nodes.living import World, a_run, latency

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
    world = World()
    world.node(allocatable={"x.io/gpu": "2"})
    world.started("a", requests={"cpu": "2", "memory": "2Gi", "x.io/gpu": 2})
    world.started("b", requests=requests)
    pod = world.get("b")
    assert (pod.phase, pod.reason) == ("Failed", reason)
    assert pod.message == f"Pod was rejected: Node didn't have enough resource: {message}"
    assert pod.started is None


def test_too_many_pods_are_refused_before_anything_else() -> None:
    world = World()
    world.node(allocatable={"pods": "1"})
    world.started("a")
    world.started("b", requests={"cpu": "100"})
    assert world.get("b").reason == "OutOfpods"
    assert world.get("b").message.endswith("pods, requested: 1, used: 1, capacity: 1")


@pytest.mark.parametrize("requests", [{}, {"cpu": "0"}, {"x.io/gpu": 0}], ids=["nothing", "no cpu", "no gpu"])
def test_a_pod_that_asks_for_nothing_fits_a_full_node(requests: dict[str, Any]) -> None:
    world = World()
    world.node(allocatable={"cpu": "1"})
    world.started("a", requests={"cpu": "1"})
    world.started("b", requests=requests)
    assert world.get("b").phase == "Running"


def test_a_pod_on_a_node_that_it_does_not_want_is_refused() -> None:
    world = World()
    world.node()
    world.started(nodeSelector={"disk": "ssd"})
    assert (world.get().phase, world.get().reason) == ("Failed", "NodeAffinity")
    expected = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
    assert world.get().message == f"Pod was rejected: {expected}"


def test_the_room_of_a_pod_that_ended_is_free_at_once() -> None:
    world = World()
    world.node(allocatable={"cpu": "1"})
    world.started("a", a_run(5), requests={"cpu": "1"})
    world.at(5, lambda: world.started("b", requests={"cpu": "1"}))
    world.run()
    assert world.get("b").phase == "Running"


def test_a_refused_pod_takes_no_room() -> None:
    world = World()
    world.node(allocatable={"cpu": "2"})
    world.started("a", requests={"cpu": "3"})
    world.started("b", requests={"cpu": "2"})
    assert [world.get(name).phase for name in "ab"] == ["Failed", "Running"]


def test_whoever_is_admitted_first_has_the_room() -> None:
    world = World(latency(sync=1, start=10))
    world.node(allocatable={"cpu": "1"})
    world.started("a", requests={"cpu": "1"})
    world.started("b", requests={"cpu": "1"})
    world.run(until=1)
    assert [world.get(name).phase for name in "ab"] == ["Pending", "Failed"]


@pytest.mark.parametrize("phase", ["Pending", "Running"])
def test_pods_that_come_bound_are_kept_even_if_they_over_commit_their_node(phase: str) -> None:
    world = World()
    world.node(allocatable={"cpu": "1"})
    for name in "ab":
        world.pod(name, a_run(5), phase, nodeName="n", requests={"cpu": "1"})
    world.started("c", requests={"cpu": "1"})
    world.run()
    assert [world.get(name).phase for name in "abc"] == ["Succeeded", "Succeeded", "Failed"]


def test_pods_that_wait_for_their_node_are_refused_like_others() -> None:
    world = World()
    world.pod("a", a_run(5), "Running", nodeName="n", requests={"cpu": "1"})
    world.pod("b", a_run(5), nodeName="n", requests={"cpu": "1"})
    world.at(3, lambda: world.node(allocatable={"cpu": "1"}))
    world.run()
    assert (world.get("a").phase, world.get("b").reason) == ("Succeeded", "OutOfcpu")


ASKED = st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(1, 30))


@settings(max_examples=60)
@given(st.lists(ASKED, max_size=12), st.integers(1, 4))
def test_a_node_never_gives_more_than_it_has_and_gets_all_of_it_back(
    pods: list[tuple[int, int, int]], capacity: int
) -> None:
    world = World()
    world.node(allocatable={"cpu": capacity, "pods": "4"})
    for number, (cpu, at, duration) in enumerate(pods):
        world.at(at, lambda n=number, c=cpu, d=duration: world.started(f"p{n}", a_run(d), requests={"cpu": c}))  # type: ignore[misc]
    for instant in range(62):
        world.run(until=instant)
        running = [pod for pod in world.store.list("Pod") if pod.phase == "Running"]
        assert sum(pod.requests["cpu"] for pod in running) <= 1000 * capacity
        assert len(running) <= 4
    world.started("last", a_run(1), requests={"cpu": capacity})
    world.run()
    assert world.get("last").phase == "Succeeded"
