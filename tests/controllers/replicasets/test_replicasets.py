from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster, a_template, a_workload
from tests.support.objects import pod_manifest

RS = "ReplicaSet.apps"


def a_cluster(**spec: Any) -> ControllerCluster:
    cluster = ControllerCluster("replicaset")
    cluster.create(a_workload("ReplicaSet", **spec))
    return cluster


def test_pods_are_made_of_the_template() -> None:
    cluster = a_cluster(replicas=2, template=a_template({"app": "web", "tier": "a"}, hostname="h"))
    (pod, _) = cluster.pods()
    document = pod.render()
    assert pod.name.startswith("web-")
    assert len(pod.name) == len("web-12345")
    assert document["metadata"]["generateName"] == "web-"
    assert document["metadata"]["labels"] == {"app": "web", "tier": "a"}
    owner = cluster.get(RS, "web")
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
    cluster = a_cluster(replicas=3)
    counts = {"replicas": 3, "fullyLabeledReplicas": 3, "terminatingReplicas": 0, "observedGeneration": 1}
    assert cluster.status(RS, "web") == counts
    cluster.start(cluster.pods()[:2])
    assert cluster.status(RS, "web") == {**counts, "readyReplicas": 2, "availableReplicas": 2}
    cluster.change(RS, "web", replicas=1)
    assert len(cluster.pods()) == 1
    expected = {"replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}
    assert cluster.status(RS, "web") == {**expected, "terminatingReplicas": 1, "observedGeneration": 2}
    cluster.remove_deleted()
    assert cluster.status(RS, "web") == {**expected, "terminatingReplicas": 0, "observedGeneration": 2}


def test_a_pod_that_ends_or_goes_is_replaced() -> None:
    cluster = a_cluster(replicas=2)
    cluster.start()
    first, second = cluster.pods()
    cluster.end(first)
    cluster.store.delete(second)
    cluster.run()
    alive = [pod for pod in cluster.pods() if not pod.finished]
    assert len(alive) == 2
    assert not {pod.name for pod in alive} & {first.name, second.name}


def test_a_pod_is_available_when_it_was_ready_for_long_enough() -> None:
    cluster = a_cluster(replicas=1, minReadySeconds=10)
    cluster.start()
    cluster.run(9.9)
    assert "availableReplicas" not in cluster.status(RS, "web")
    cluster.run(0.2)
    assert cluster.status(RS, "web")["availableReplicas"] == 1
    cluster.change(RS, "web", minReadySeconds=20)
    assert "availableReplicas" not in cluster.status(RS, "web")
    cluster.run(10)
    assert cluster.status(RS, "web")["availableReplicas"] == 1


def test_orphans_are_adopted_and_pods_with_other_labels_are_let_go() -> None:
    cluster = ControllerCluster("replicaset")
    cluster.create(pod_manifest("early", labels={"app": "web"}))
    cluster.create(pod_manifest("other", labels={"app": "db"}))
    cluster.create(a_workload("ReplicaSet", replicas=3))
    cluster.create(pod_manifest("late", labels={"app": "web"}))
    assert len(cluster.pods(app="web")) == 3  # one too many was deleted again
    pod = cluster.pods(app="web")[0]
    document = pod.render()
    document["metadata"]["labels"] = {"app": "quarantine"}
    cluster.client.update(pod, document)
    cluster.run()
    assert "ownerReferences" not in cluster.get("Pod", pod.name).render()["metadata"]
    assert len(cluster.pods(app="web")) == 3


def test_what_the_api_refuses_is_told_and_tried_again() -> None:
    cluster = ControllerCluster("replicaset")
    cluster.create(a_workload("ReplicaSet", replicas=5, template=a_template(priorityClassName="high")))
    (condition,) = cluster.status(RS, "web")["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("ReplicaFailure", "True", "FailedCreate")
    assert condition["message"] == 'pods "web-" is forbidden: no PriorityClass with name high was found'
    assert {reason for _, reason, _ in cluster.told} == {"FailedCreate"}
    value = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1}
    cluster.create(value)
    cluster.run(1)
    assert len(cluster.pods()) == 5
    assert "conditions" not in cluster.status(RS, "web")


def test_more_than_500_pods_come_in_bursts() -> None:
    cluster = a_cluster(replicas=1201)
    assert len(cluster.pods()) == 1201


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

    cluster, base = ControllerCluster("none"), {"node_name": "n", "phase": "Running", "started": 1}
    for name, more in (("a", second), ("b", first)):
        cluster.create(pod_manifest(name, labels={"app": "web"}))
        pod = cluster.get("Pod", name).copy()
        fields = {**base, **more}
        cost = fields.pop("cost", None)
        for field, value in fields.items():
            setattr(pod, field, value * 10**9 if field == "started" else value)
        if cost:
            pod.manifest = {**pod.manifest, "metadata": {"name": name, "annotations": {DELETION_COST: cost}}}
        cluster.store.update(pod)
    pods = cluster.pods()
    others = [*pods, *(pod for pod in pods if pod.node_name == "crowded")]
    (gone,) = pods_to_delete(pods, others, 1, 100 * 10**9, cluster.context.ready_since)
    assert gone.name == "b"


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["scale", "start", "end", "delete", "bury"]), st.integers(0, 6)), max_size=12)
)
def test_there_are_always_as_many_as_asked_for(steps: list[tuple[str, int]]) -> None:
    cluster, wanted = a_cluster(replicas=3), 3
    for step, number in steps:
        pods = [pod for pod in cluster.pods() if not pod.finished]
        if step == "scale":
            cluster.change(RS, "web", replicas=number)
            wanted = number
        elif step == "start":
            cluster.start(pods[:number])
        elif step == "bury":
            cluster.remove_deleted()
        elif pods and step == "end":
            cluster.end(pods[number % len(pods)])
        elif pods:
            cluster.client.delete(pods[number % len(pods)])
            cluster.run()
        active = [pod for pod in cluster.pods() if not pod.finished]
        assert len(active) == wanted
        status = cluster.status(RS, "web")
        assert status["replicas"] == wanted
        assert status.get("readyReplicas", 0) == sum(pod.phase == "Running" for pod in active)
