from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import node_manifest, pod_manifest

TAINT = {"key": "k", "value": "v", "effect": "NoExecute"}


def create_node(cluster: ControllerCluster, name: str = "n", **spec: Any) -> None:
    cluster.create(node_manifest(name, **spec))


def change(cluster: ControllerCluster, name: str = "n", **spec: Any) -> None:
    old = cluster.store.get("Node", "", name)
    document = old.render()
    document["spec"] = {**(document.get("spec") or {}), **spec}
    cluster.client.update(old, document)
    cluster.run()


def report(cluster: ControllerCluster, kind: str, status: str, name: str = "n") -> None:
    """Lets a node have one condition."""
    old = cluster.store.get("Node", "", name)
    cluster.client.update_status(
        old, {**(old.manifest.get("status") or {}), "conditions": [{"type": kind, "status": status}]}
    )
    cluster.run()


def taints(cluster: ControllerCluster, name: str = "n") -> list[tuple[str, str]]:
    spec = cluster.store.get("Node", "", name).render().get("spec") or {}
    return [(each["key"].removeprefix("node.kubernetes.io/"), each["effect"]) for each in spec.get("taints") or ()]


def a_bound_pod(cluster: ControllerCluster, **toleration: Any) -> None:
    document = pod_manifest("p")
    document["spec"]["nodeName"] = "n"
    if toleration:
        document["spec"]["tolerations"] = [{"key": "k", "operator": "Exists", "effect": "NoExecute", **toleration}]
    cluster.create(document)
    cluster.start()


def is_going(cluster: ControllerCluster) -> bool:
    pod = cluster.store.find("Pod", "default", "p")
    return pod is None or pod.deleted is not None


def test_a_pod_that_does_not_tolerate_a_taint_goes_at_once() -> None:
    cluster = ControllerCluster("taint-eviction-controller")
    create_node(cluster)
    a_bound_pod(cluster)
    change(cluster, taints=[TAINT])
    assert is_going(cluster)
    conditions = cluster.get("Pod", "p").render()["status"]["conditions"]
    (target,) = [each for each in conditions if each["type"] == "DisruptionTarget"]
    assert target["reason"] == "DeletionByTaintManager"
    assert cluster.told[-1] == ("Normal", "TaintManagerEviction", "Marking for deletion Pod default/p")


@pytest.mark.parametrize(("toleration", "goes_after"), [({"tolerationSeconds": 30}, 30), ({}, None)])
def test_a_pod_stays_as_long_as_it_tolerates(toleration: dict[str, Any], goes_after: int | None) -> None:
    cluster = ControllerCluster("taint-eviction-controller")
    create_node(cluster, taints=[TAINT])
    a_bound_pod(cluster, **{"operator": "Exists", **toleration})
    cluster.run(29)
    assert not is_going(cluster)
    cluster.run(1)
    assert is_going(cluster) == (goes_after is not None)


def test_a_taint_that_is_taken_off_in_time_does_nothing() -> None:
    cluster = ControllerCluster("taint-eviction-controller")
    create_node(cluster, taints=[TAINT])
    a_bound_pod(cluster, tolerationSeconds=30)
    cluster.run(10)
    change(cluster, taints=[])
    cluster.run(60)
    assert not is_going(cluster)
    assert cluster.told[-1] == ("Normal", "TaintManagerEviction", "Cancelling deletion of Pod default/p")


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
    cluster = ControllerCluster("nodelifecycle")
    create_node(cluster, taints=[TAINT])
    report(cluster, kind, status)
    assert taints(cluster) == [("k", "NoExecute"), *expected]
    report(cluster, "Ready", "True")
    assert taints(cluster) == [("k", "NoExecute")]


def test_a_cordoned_node_is_tainted() -> None:
    cluster = ControllerCluster("nodelifecycle")
    create_node(cluster)
    change(cluster, unschedulable=True)
    assert taints(cluster) == [("unschedulable", "NoSchedule")]
    change(cluster, unschedulable=False)
    assert taints(cluster) == []


def test_pods_leave_a_node_that_is_lost_after_five_minutes() -> None:
    cluster = ControllerCluster("nodelifecycle,taint-eviction-controller")
    create_node(cluster)
    document = pod_manifest("p")
    document["spec"]["nodeName"] = "n"
    cluster.create(document)  # admission gives it the usual tolerations
    cluster.start()
    report(cluster, "Ready", "Unknown")
    cluster.run(299)
    assert not is_going(cluster)
    cluster.run(1)
    assert is_going(cluster)


def test_pods_of_a_node_that_is_gone_fail_and_go() -> None:
    cluster = ControllerCluster("podgc")
    create_node(cluster)
    a_bound_pod(cluster)
    cluster.store.delete(cluster.store.get("Node", "", "n"))
    cluster.run(39)
    assert not is_going(cluster)
    cluster.run(1)
    assert is_going(cluster)
