from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.worlds import World, a_pod, a_template, a_workload
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod

DS, REVISION = "DaemonSet.apps", "ControllerRevision.apps"
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}


def a_node(name: str, labels: dict[str, str] | None = None, taints: list[dict[str, str]] | None = None) -> Node:
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    metadata = {"name": name, "labels": labels or {}}
    head = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": taints or []}}
    return Node({**head, "status": status})


def a_world(*nodes: Node, **spec: Any) -> World:
    world = World("daemonset")
    for node in nodes or [a_node("n1"), a_node("n2"), a_node("n3")]:
        world.store.create(node)
    world.create(a_workload("DaemonSet", **spec))
    return world


def host(pod: Pod) -> str:
    """Returns the node that a pod is for."""
    affinity = pod.spec.manifest["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return str(affinity["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])


def start(world: World, *hosts: str) -> None:
    """Lets pods run on the nodes that they are for."""
    for pod in world.pods():
        if not hosts or host(pod) in hosts:
            world.start([pod], host(pod))


def finish(world: World) -> None:
    for _ in range(20):
        start(world)
        world.bury()


def hosts(world: World) -> list[str]:
    return sorted(host(pod) for pod in world.pods())


def images(world: World) -> list[str]:
    return [pod.spec.images[0] for pod in sorted(world.pods(), key=host)]


def change_node(world: World, new: Node) -> None:
    present = world.store.get("Node", "", new.name)
    new.uid, new.resource_version, new.created = present.uid, present.resource_version, present.created
    world.store.update(new)
    world.settle()


def test_every_node_gets_a_pod_that_is_for_it() -> None:
    world = a_world()
    assert hosts(world) == ["n1", "n2", "n3"]
    (revision,) = world.store.list(REVISION)
    document = world.pods()[0].render()
    assert document["metadata"]["labels"] == {
        "app": "web",
        "controller-revision-hash": revision.labels["controller-revision-hash"],
        "pod-template-generation": "1",
    }
    assert revision.name == f"web-{revision.labels['controller-revision-hash']}"
    tolerated = [(each["key"].partition("/")[2], each["effect"]) for each in document["spec"]["tolerations"]]
    assert tolerated == [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ]


def test_the_status_counts_nodes() -> None:
    world = a_world()
    status = {
        "currentNumberScheduled": 3,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 3,
        "numberReady": 0,
        "observedGeneration": 1,
        "updatedNumberScheduled": 3,
    }
    assert world.status(DS, "web") == {**status, "numberUnavailable": 3}
    start(world, "n1")
    running = {"numberReady": 1, "numberAvailable": 1, "numberUnavailable": 2}
    assert world.status(DS, "web") == {**status, **running}


@pytest.mark.parametrize(
    ("node", "template", "there"),
    [
        pytest.param(a_node("n"), {}, True, id="any node"),
        pytest.param(a_node("n", {"disk": "ssd"}), {"nodeSelector": {"disk": "ssd"}}, True, id="a node as selected"),
        pytest.param(a_node("n"), {"nodeSelector": {"disk": "ssd"}}, False, id="another node"),
        pytest.param(a_node("n", taints=[{"key": "k", "effect": "NoSchedule"}]), {}, False, id="a tainted node"),
        pytest.param(a_node("n", taints=[{"key": "k", "effect": "PreferNoSchedule"}]), {}, True, id="rather not"),
        pytest.param(a_node("n", taints=[NOT_READY]), {}, True, id="a node that is not ready"),
        pytest.param(
            a_node("n", taints=[{"key": "k", "effect": "NoSchedule"}]),
            {"tolerations": [{"operator": "Exists"}]},
            True,
            id="a taint that is tolerated",
        ),
    ],
)
def test_which_nodes_get_a_pod(node: Node, template: dict[str, Any], there: bool) -> None:
    world = a_world(
        a_node(node.name, dict(node.labels), [taint.render() for taint in node.taints]), template=a_template(**template)
    )
    assert bool(world.pods()) == there
    assert world.status(DS, "web")["desiredNumberScheduled"] == there


def test_nodes_come_and_go() -> None:
    world = a_world(a_node("n1"))
    world.store.create(a_node("n2"))
    world.settle()
    assert hosts(world) == ["n1", "n2"]
    world.store.delete(world.store.get("Node", "", "n2"))
    world.settle()
    assert hosts(world) == ["n1"]  # it was not on its node yet
    assert world.status(DS, "web")["desiredNumberScheduled"] == 1


def test_a_pod_where_none_is_to_be_stays_or_goes_by_the_taint() -> None:
    world = a_world(a_node("n1"), a_node("n2"))
    finish(world)
    change_node(world, a_node("n1", taints=[{"key": "k", "effect": "NoSchedule"}]))
    assert hosts(world) == ["n1", "n2"]
    assert world.status(DS, "web")["numberMisscheduled"] == 0  # the real controller does not look up for that alone
    change_node(world, a_node("n2", taints=[{"key": "k", "effect": "NoExecute"}]))
    assert hosts(world) == ["n1"]


def test_a_rolling_update_replaces_node_by_node() -> None:
    world = a_world()
    finish(world)
    world.change(DS, "web", template=a_template(image="nginx:2"))
    assert len(world.pods()) == 2
    world.bury()
    assert sorted(images(world)) == ["nginx", "nginx", "nginx:2"]
    finish(world)
    assert images(world) == ["nginx:2"] * 3
    status = world.status(DS, "web")
    assert (status["updatedNumberScheduled"], status["numberAvailable"]) == (3, 3)
    assert sorted(each.manifest["revision"] for each in world.store.list(REVISION)) == [1, 2]


def test_with_a_surge_the_new_pod_comes_first() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    world = a_world(updateStrategy=rolling)
    finish(world)
    world.change(DS, "web", template=a_template(image="nginx:2"))
    assert sorted(images(world)) == ["nginx", "nginx", "nginx", "nginx:2"]
    start(world)
    assert sorted(images(world)) == ["nginx", "nginx", "nginx:2", "nginx:2"]
    finish(world)
    assert images(world) == ["nginx:2"] * 3


def test_on_delete_waits_for_somebody_to_delete() -> None:
    world = a_world(updateStrategy={"type": "OnDelete"})
    finish(world)
    world.change(DS, "web", template=a_template(image="nginx:2"))
    finish(world)
    assert images(world) == ["nginx"] * 3
    world.client.delete(next(pod for pod in world.pods() if host(pod) == "n2"))
    finish(world)
    assert images(world) == ["nginx", "nginx:2", "nginx"]


def test_a_failed_pod_is_replaced_at_first_at_once() -> None:
    world = a_world(a_node("n1"))
    for _ in range(2):
        start(world)
        world.end(world.pods()[0])
    (failed,) = world.pods()
    assert failed.phase == "Failed"  # the second one has to wait
    world.settle(1.1)
    (pod,) = world.pods()
    assert pod.phase == "Pending"
    reasons = [reason for _, reason, _ in world.told if "Daemon" in reason]
    assert reasons == ["FailedDaemonPod", "FailedDaemonPod"]


def test_going_back_numbers_the_old_revision_anew_and_keeps_only_so_many() -> None:
    world = a_world(a_node("n1"), revisionHistoryLimit=1)
    for image in ("nginx:2", "nginx:3", "nginx:2"):
        finish(world)
        world.change(DS, "web", template=a_template(image=image))
    finish(world)
    assert sorted(each.manifest["revision"] for each in world.store.list(REVISION)) == [3, 4]


def test_orphans_are_adopted_and_pods_with_other_labels_are_let_go() -> None:
    world = a_world(a_node("n1"))
    orphan = a_pod("orphan", app="web")
    orphan["spec"]["nodeName"] = "n1"
    world.create(orphan)
    assert world.get("Pod", "orphan").render()["metadata"]["ownerReferences"][0]["kind"] == "DaemonSet"
    world.bury()  # of two on a node one goes, then the one of another template
    assert hosts(world) == ["n1"]
    pod = world.pods()[0]
    document = pod.render()
    document["metadata"]["labels"] = {"app": "other"}
    world.client.update(pod, document)
    world.settle()
    assert "ownerReferences" not in world.get("Pod", pod.name).render()["metadata"]
    assert len(world.pods(app="web")) == 1


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["image", "start", "start", "bury", "end", "delete", "join", "leave", "taint"]),
        st.integers(0, 4),
    ),
    max_size=14,
)


@settings(max_examples=40, deadline=None)
@given(STEPS, st.integers(0, 2), st.integers(0, 2))
def test_a_daemon_set_keeps_its_bounds_and_converges(
    steps: list[tuple[str, int]], surge: int, unavailable: int
) -> None:
    limits = {"maxSurge": surge, "maxUnavailable": 0 if surge else unavailable or 1}
    world = a_world(updateStrategy={"type": "RollingUpdate", "rollingUpdate": limits})
    image = "nginx"
    for step, number in steps:
        pods, name = world.pods(), f"n{number + 1}"
        node = world.store.find("Node", "", name)
        running = sum(pod.phase == "Running" for pod in pods)
        if step == "image":
            image = f"nginx:{number}"
            world.change(DS, "web", template=a_template(image=image))
            left = sum(pod.phase == "Running" for pod in world.pods())
            assert left >= running - limits["maxUnavailable"]
        elif step == "start":
            start(world, name)
        elif step == "bury":
            world.bury()
        elif step == "join" and node is None:
            world.store.create(a_node(name))
        elif step == "leave" and node is not None:
            world.store.delete(node)
            for pod in [pod for pod in world.store.list("Pod") if pod.node_name == name]:
                world.store.delete(pod)
        elif step == "taint" and node is not None:
            change_node(world, a_node(name, taints=[{"key": "k", "effect": "NoExecute"}] if number % 2 else []))
        elif pods and step == "end":
            world.end(pods[number % len(pods)])
        elif pods and step == "delete":
            world.client.delete(pods[number % len(pods)])
        world.settle()
    for _ in range(12):
        finish(world)
        world.settle(100)
    suited = sorted(node.name for node in world.store.list("Node") if not node.taints)
    assert hosts(world) == suited
    assert set(images(world)) <= {image}
    status = world.status(DS, "web")
    counts = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "numberAvailable",
        "updatedNumberScheduled",
    )
    assert [status.get(field, 0) for field in counts] == [len(suited)] * 5
    assert status["numberMisscheduled"] == 0
