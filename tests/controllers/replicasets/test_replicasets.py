from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.worlds import World, a_pod, a_template, a_workload

RS = "ReplicaSet.apps"


def a_world(**spec: Any) -> World:
    world = World("replicaset")
    world.create(a_workload("ReplicaSet", **spec))
    return world


def test_pods_are_made_of_the_template() -> None:
    world = a_world(replicas=2, template=a_template({"app": "web", "tier": "a"}, hostname="h"))
    (pod, _) = world.pods()
    document = pod.render()
    assert pod.name.startswith("web-")
    assert len(pod.name) == len("web-12345")
    assert document["metadata"]["generateName"] == "web-"
    assert document["metadata"]["labels"] == {"app": "web", "tier": "a"}
    owner = world.get(RS, "web")
    assert document["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": "web",
            "uid": owner.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert document["spec"]["hostname"] == "h"


def test_the_status_counts_pods_as_they_come_and_go() -> None:
    world = a_world(replicas=3)
    counts = {"replicas": 3, "fullyLabeledReplicas": 3, "terminatingReplicas": 0, "observedGeneration": 1}
    assert world.status(RS, "web") == counts
    world.start(world.pods()[:2])
    assert world.status(RS, "web") == {**counts, "readyReplicas": 2, "availableReplicas": 2}
    world.change(RS, "web", replicas=1)
    assert len(world.pods()) == 1
    expected = {"replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}
    assert world.status(RS, "web") == {**expected, "terminatingReplicas": 1, "observedGeneration": 2}
    world.bury()
    assert world.status(RS, "web") == {**expected, "terminatingReplicas": 0, "observedGeneration": 2}


def test_a_pod_that_ends_or_goes_is_replaced() -> None:
    world = a_world(replicas=2)
    world.start()
    first, second = world.pods()
    world.end(first)
    world.store.delete(second)
    world.settle()
    alive = [pod for pod in world.pods() if not pod.finished]
    assert len(alive) == 2
    assert not {pod.name for pod in alive} & {first.name, second.name}


def test_a_pod_is_available_when_it_was_ready_for_long_enough() -> None:
    world = a_world(replicas=1, minReadySeconds=10)
    world.start()
    world.settle(9.9)
    assert "availableReplicas" not in world.status(RS, "web")
    world.settle(0.2)
    assert world.status(RS, "web")["availableReplicas"] == 1
    world.change(RS, "web", minReadySeconds=20)
    assert "availableReplicas" not in world.status(RS, "web")
    world.settle(10)
    assert world.status(RS, "web")["availableReplicas"] == 1


def test_orphans_are_adopted_and_pods_with_other_labels_are_let_go() -> None:
    world = World("replicaset")
    world.create(a_pod("early", app="web"))
    world.create(a_pod("other", app="db"))
    world.create(a_workload("ReplicaSet", replicas=3))
    world.create(a_pod("late", app="web"))
    assert len(world.pods(app="web")) == 3  # one too many was deleted again
    pod = world.pods(app="web")[0]
    document = pod.render()
    document["metadata"]["labels"] = {"app": "quarantine"}
    world.client.update(pod, document)
    world.settle()
    assert "ownerReferences" not in world.get("Pod", pod.name).render()["metadata"]
    assert len(world.pods(app="web")) == 3


def test_what_the_api_refuses_is_told_and_tried_again() -> None:
    world = World("replicaset")
    world.create(a_workload("ReplicaSet", replicas=5, template=a_template(priorityClassName="high")))
    (condition,) = world.status(RS, "web")["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("ReplicaFailure", "True", "FailedCreate")
    assert condition["message"] == 'pods "web-" is forbidden: no PriorityClass with name high was found'
    assert {reason for _, reason, _ in world.told} == {"FailedCreate"}
    value = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1}
    world.create(value)
    world.settle(1)
    assert len(world.pods()) == 5
    assert "conditions" not in world.status(RS, "web")


def test_more_than_500_pods_come_in_bursts() -> None:
    world = a_world(replicas=1201)
    assert len(world.pods()) == 1201


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"node_name": ""}, {"node_name": "n"}, id="unassigned"),
        pytest.param({"phase": "Pending"}, {"phase": "Running"}, id="pending"),
        pytest.param({"restarts": 3}, {"restarts": 0}, id="restarted more often"),
        pytest.param({"cost": "-1"}, {"cost": "1"}, id="cheaper"),
        pytest.param({"node_name": "crowded"}, {"node_name": "n"}, id="on a node with more of them"),
        pytest.param({"started": 99}, {"started": 1}, id="ready for a shorter time"),
    ],
)
def test_which_pod_goes_first(first: dict[str, Any], second: dict[str, Any]) -> None:
    from wavetank.controllers.replicasets.ranking import DELETION_COST, pods_to_delete

    world, base = World("none"), {"node_name": "n", "phase": "Running", "started": 1}
    for name, more in (("a", second), ("b", first)):
        world.create(a_pod(name, app="web"))
        pod = world.get("Pod", name).copy()
        fields = {**base, **more}
        cost = fields.pop("cost", None)
        for field, value in fields.items():
            setattr(pod, field, value * 10**9 if field == "started" else value)
        if cost:
            pod.manifest = {**pod.manifest, "metadata": {"name": name, "annotations": {DELETION_COST: cost}}}
        world.store.update(pod)
    pods = world.pods()
    others = [*pods, *(pod for pod in pods if pod.node_name == "crowded")]
    (gone,) = pods_to_delete(pods, others, 1, 100 * 10**9, world.context.ready_since)
    assert gone.name == "b"


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["scale", "start", "end", "delete", "bury"]), st.integers(0, 6)), max_size=12)
)
def test_there_are_always_as_many_as_asked_for(steps: list[tuple[str, int]]) -> None:
    world, wanted = a_world(replicas=3), 3
    for step, number in steps:
        pods = [pod for pod in world.pods() if not pod.finished]
        if step == "scale":
            world.change(RS, "web", replicas=number)
            wanted = number
        elif step == "start":
            world.start(pods[:number])
        elif step == "bury":
            world.bury()
        elif pods and step == "end":
            world.end(pods[number % len(pods)])
        elif pods:
            world.client.delete(pods[number % len(pods)])
            world.settle()
        active = [pod for pod in world.pods() if not pod.finished]
        assert len(active) == wanted
        status = world.status(RS, "web")
        assert status["replicas"] == wanted
        assert status.get("readyReplicas", 0) == sum(pod.phase == "Running" for pod in active)
