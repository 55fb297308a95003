from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.worlds import World, a_pod

TAINT = {"key": "k", "value": "v", "effect": "NoExecute"}


def a_node(world: World, name: str = "n", **spec: Any) -> None:
    world.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec})


def change(world: World, name: str = "n", **spec: Any) -> None:
    old = world.store.get("Node", "", name)
    document = old.render()
    document["spec"] = {**(document.get("spec") or {}), **spec}
    world.client.update(old, document)
    world.settle()


def report(world: World, kind: str, status: str, name: str = "n") -> None:
    """Lets a node have one condition."""
    old = world.store.get("Node", "", name)
    world.client.update_status(
        old, {**(old.manifest.get("status") or {}), "conditions": [{"type": kind, "status": status}]}
    )
    world.settle()


def taints(world: World, name: str = "n") -> list[tuple[str, str]]:
    spec = world.store.get("Node", "", name).render().get("spec") or {}
    return [(each["key"].removeprefix("node.kubernetes.io/"), each["effect"]) for each in spec.get("taints") or ()]


def a_bound_pod(world: World, **toleration: Any) -> None:
    document = a_pod("p")
    document["spec"]["nodeName"] = "n"
    if toleration:
        document["spec"]["tolerations"] = [{"key": "k", "operator": "Exists", "effect": "NoExecute", **toleration}]
    world.create(document)
    world.start()


def is_going(world: World) -> bool:
    pod = world.store.find("Pod", "default", "p")
    return pod is None or pod.deleted is not None


def test_a_pod_that_does_not_tolerate_a_taint_goes_at_once() -> None:
    world = World("taint-eviction-controller")
    a_node(world)
    a_bound_pod(world)
    change(world, taints=[TAINT])
    assert is_going(world)
    conditions = world.get("Pod", "p").render()["status"]["conditions"]
    (target,) = [each for each in conditions if each["type"] == "DisruptionTarget"]
    assert target["reason"] == "DeletionByTaintManager"
    assert world.told[-1] == ("Normal", "TaintManagerEviction", "Marking for deletion Pod default/p")


@pytest.mark.parametrize(("toleration", "goes_after"), [({"tolerationSeconds": 30}, 30), ({}, None)])
def test_a_pod_stays_as_long_as_it_tolerates(toleration: dict[str, Any], goes_after: int | None) -> None:
    world = World("taint-eviction-controller")
    a_node(world, taints=[TAINT])
    a_bound_pod(world, **{"operator": "Exists", **toleration})
    world.settle(29)
    assert not is_going(world)
    world.settle(1)
    assert is_going(world) == (goes_after is not None)


def test_a_taint_that_is_taken_off_in_time_does_nothing() -> None:
    world = World("taint-eviction-controller")
    a_node(world, taints=[TAINT])
    a_bound_pod(world, tolerationSeconds=30)
    world.settle(10)
    change(world, taints=[])
    world.settle(60)
    assert not is_going(world)
    assert world.told[-1] == ("Normal", "TaintManagerEviction", "Cancelling deletion of Pod default/p")


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [
        ("Ready", "True", []),
        ("Ready", "False", [("not-ready", "NoSchedule"), ("not-ready", "NoExecute")]),
        ("Ready", "Unknown", [("unreachable", "NoSchedule"), ("unreachable", "NoExecute")]),
        ("MemoryPressure", "True", [("memory-pressure", "NoSchedule")]),
        ("NetworkUnavailable", "True", [("network-unavailable", "NoSchedule")]),
    ],
)
def test_conditions_of_a_node_become_taints(kind: str, status: str, expected: list[tuple[str, str]]) -> None:
    world = World("nodelifecycle")
    a_node(world, taints=[TAINT])
    report(world, kind, status)
    assert taints(world) == [("k", "NoExecute"), *expected]
    report(world, "Ready", "True")
    assert taints(world) == [("k", "NoExecute")]


def test_a_cordoned_node_is_tainted() -> None:
    world = World("nodelifecycle")
    a_node(world)
    change(world, unschedulable=True)
    assert taints(world) == [("unschedulable", "NoSchedule")]
    change(world, unschedulable=False)
    assert taints(world) == []


def test_pods_leave_a_node_that_is_lost_after_five_minutes() -> None:
    world = World("nodelifecycle,taint-eviction-controller")
    a_node(world)
    document = a_pod("p")
    document["spec"]["nodeName"] = "n"
    world.create(document)  # admission gives it the usual tolerations
    world.start()
    report(world, "Ready", "Unknown")
    world.settle(299)
    assert not is_going(world)
    world.settle(1)
    assert is_going(world)


def test_pods_of_a_node_that_is_gone_fail_and_go() -> None:
    world = World("podgc")
    a_node(world)
    a_bound_pod(world)
    world.store.delete(world.store.get("Node", "", "n"))
    world.settle(39)
    assert not is_going(world)
    world.settle(1)
    assert is_going(world)
