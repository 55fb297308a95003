from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster, a_template, a_workload
from tests.support.objects import a_node, pod_manifest
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod

DS, REVISION = "DaemonSet.apps", "ControllerRevision.apps"
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}


def a_cluster(*nodes: Node, **spec: Any) -> ControllerCluster:
    cluster = ControllerCluster("daemonset")
    for node in nodes or [a_node("n1"), a_node("n2"), a_node("n3")]:
        cluster.store.create(node)
    cluster.create(a_workload("DaemonSet", **spec))
    return cluster


def host(pod: Pod) -> str:
    """Returns the node that a pod is for."""
    affinity = pod.spec.manifest["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return str(affinity["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])


def start(cluster: ControllerCluster, *hosts: str) -> None:
    """Lets pods run on the nodes that they are for."""
    for pod in cluster.pods():
        if not hosts or host(pod) in hosts:
            cluster.start([pod], host(pod))


def finish(cluster: ControllerCluster) -> None:
    for _ in range(20):
        start(cluster)
        cluster.remove_deleted()


def hosts(cluster: ControllerCluster) -> list[str]:
    return sorted(host(pod) for pod in cluster.pods())


def images(cluster: ControllerCluster) -> list[str]:
    return [pod.spec.images[0] for pod in sorted(cluster.pods(), key=host)]


def change_node(cluster: ControllerCluster, new: Node) -> None:
    present = cluster.store.get("Node", "", new.name)
    new.uid, new.resource_version, new.created = present.uid, present.resource_version, present.created
    cluster.store.update(new)
    cluster.run()


def test_every_node_gets_a_pod_that_is_for_it() -> None:
    cluster = a_cluster()
    assert hosts(cluster) == ["n1", "n2", "n3"]
    (revision,) = cluster.store.list(REVISION)
    document = cluster.pods()[0].render()
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
    cluster = a_cluster()
    status = {
        "currentNumberScheduled": 3,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 3,
        "numberReady": 0,
        "observedGeneration": 1,
        "updatedNumberScheduled": 3,
    }
    assert cluster.status(DS, "web") == {**status, "numberUnavailable": 3}
    start(cluster, "n1")
    running = {"numberReady": 1, "numberAvailable": 1, "numberUnavailable": 2}
    assert cluster.status(DS, "web") == {**status, **running}


@pytest.mark.parametrize(
    ("node", "template", "there"),
    [
        pytest.param(a_node("n"), {}, True, id="any node"),
        pytest.param(
            a_node("n", labels={"disk": "ssd"}), {"nodeSelector": {"disk": "ssd"}}, True, id="a node as selected"
        ),
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
    cluster = a_cluster(
        a_node(node.name, labels=dict(node.labels), taints=[taint.render() for taint in node.taints]),
        template=a_template(**template),
    )
    assert bool(cluster.pods()) == there
    assert cluster.status(DS, "web")["desiredNumberScheduled"] == there


def test_nodes_come_and_go() -> None:
    cluster = a_cluster(a_node("n1"))
    cluster.store.create(a_node("n2"))
    cluster.run()
    assert hosts(cluster) == ["n1", "n2"]
    cluster.store.delete(cluster.store.get("Node", "", "n2"))
    cluster.run()
    assert hosts(cluster) == ["n1"]  # it was not on its node yet
    assert cluster.status(DS, "web")["desiredNumberScheduled"] == 1


def test_a_pod_where_none_is_to_be_stays_or_goes_by_the_taint() -> None:
    cluster = a_cluster(a_node("n1"), a_node("n2"))
    finish(cluster)
    change_node(cluster, a_node("n1", taints=[{"key": "k", "effect": "NoSchedule"}]))
    assert hosts(cluster) == ["n1", "n2"]
    assert cluster.status(DS, "web")["numberMisscheduled"] == 0  # the real controller does not look up for that alone
    change_node(cluster, a_node("n2", taints=[{"key": "k", "effect": "NoExecute"}]))
    assert hosts(cluster) == ["n1"]


def test_a_rolling_update_replaces_node_by_node() -> None:
    cluster = a_cluster()
    finish(cluster)
    cluster.change(DS, "web", template=a_template(image="nginx:2"))
    assert len(cluster.pods()) == 2
    cluster.remove_deleted()
    assert sorted(images(cluster)) == ["nginx", "nginx", "nginx:2"]
    finish(cluster)
    assert images(cluster) == ["nginx:2"] * 3
    status = cluster.status(DS, "web")
    assert (status["updatedNumberScheduled"], status["numberAvailable"]) == (3, 3)
    assert sorted(each.manifest["revision"] for each in cluster.store.list(REVISION)) == [1, 2]


def test_with_a_surge_the_new_pod_comes_first() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    cluster = a_cluster(updateStrategy=rolling)
    finish(cluster)
    cluster.change(DS, "web", template=a_template(image="nginx:2"))
    assert sorted(images(cluster)) == ["nginx", "nginx", "nginx", "nginx:2"]
    start(cluster)
    assert sorted(images(cluster)) == ["nginx", "nginx", "nginx:2", "nginx:2"]
    finish(cluster)
    assert images(cluster) == ["nginx:2"] * 3


def test_on_delete_replaces_pods_only_after_their_deletion() -> None:
    cluster = a_cluster(updateStrategy={"type": "OnDelete"})
    finish(cluster)
    cluster.change(DS, "web", template=a_template(image="nginx:2"))
    finish(cluster)
    assert images(cluster) == ["nginx"] * 3
    cluster.client.delete(next(pod for pod in cluster.pods() if host(pod) == "n2"))
    finish(cluster)
    assert images(cluster) == ["nginx", "nginx:2", "nginx"]


def test_a_failed_pod_is_replaced_at_first_at_once() -> None:
    cluster = a_cluster(a_node("n1"))
    for _ in range(2):
        start(cluster)
        cluster.end(cluster.pods()[0])
    (failed,) = cluster.pods()
    assert failed.phase == "Failed"  # the second one has to wait
    cluster.run(1.1)
    (pod,) = cluster.pods()
    assert pod.phase == "Pending"
    reasons = [reason for _, reason, _ in cluster.told if "Daemon" in reason]
    assert reasons == ["FailedDaemonPod", "FailedDaemonPod"]


def test_going_back_numbers_the_old_revision_anew_and_keeps_only_so_many() -> None:
    cluster = a_cluster(a_node("n1"), revisionHistoryLimit=1)
    for image in ("nginx:2", "nginx:3", "nginx:2"):
        finish(cluster)
        cluster.change(DS, "web", template=a_template(image=image))
    finish(cluster)
    assert sorted(each.manifest["revision"] for each in cluster.store.list(REVISION)) == [3, 4]


def test_orphans_are_adopted_and_pods_with_other_labels_are_let_go() -> None:
    cluster = a_cluster(a_node("n1"))
    orphan = pod_manifest("orphan", labels={"app": "web"})
    orphan["spec"]["nodeName"] = "n1"
    cluster.create(orphan)
    assert cluster.get("Pod", "orphan").render()["metadata"]["ownerReferences"][0]["kind"] == "DaemonSet"
    cluster.remove_deleted()  # of two on a node one goes, then the one of another template
    assert hosts(cluster) == ["n1"]
    pod = cluster.pods()[0]
    document = pod.render()
    document["metadata"]["labels"] = {"app": "other"}
    cluster.client.update(pod, document)
    cluster.run()
    assert "ownerReferences" not in cluster.get("Pod", pod.name).render()["metadata"]
    assert len(cluster.pods(app="web")) == 1


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
    cluster = a_cluster(updateStrategy={"type": "RollingUpdate", "rollingUpdate": limits})
    image = "nginx"
    for step, number in steps:
        pods, name = cluster.pods(), f"n{number + 1}"
        node = cluster.store.find("Node", "", name)
        running = sum(pod.phase == "Running" for pod in pods)
        if step == "image":
            image = f"nginx:{number}"
            cluster.change(DS, "web", template=a_template(image=image))
            left = sum(pod.phase == "Running" for pod in cluster.pods())
            assert left >= running - limits["maxUnavailable"]
        elif step == "start":
            start(cluster, name)
        elif step == "bury":
            cluster.remove_deleted()
        elif step == "join" and node is None:
            cluster.store.create(a_node(name))
        elif step == "leave" and node is not None:
            cluster.store.delete(node)
            for pod in [pod for pod in cluster.store.list("Pod") if pod.node_name == name]:
                cluster.store.delete(pod)
        elif step == "taint" and node is not None:
            change_node(cluster, a_node(name, taints=[{"key": "k", "effect": "NoExecute"}] if number % 2 else []))
        elif pods and step == "end":
            cluster.end(pods[number % len(pods)])
        elif pods and step == "delete":
            cluster.client.delete(pods[number % len(pods)])
        cluster.run()
    for _ in range(12):
        finish(cluster)
        cluster.run(100)
    suited = sorted(node.name for node in cluster.store.list("Node") if not node.taints)
    assert hosts(cluster) == suited
    assert set(images(cluster)) <= {image}
    status = cluster.status(DS, "web")
    counts = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "numberAvailable",
        "updatedNumberScheduled",
    )
    assert [status.get(field, 0) for field in counts] == [len(suited)] * 5
    assert status["numberMisscheduled"] == 0
