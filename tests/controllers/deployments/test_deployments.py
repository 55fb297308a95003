from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusters import ControllerCluster, a_template, a_workload
from wavetank.cluster.objects.resource import Resource

D, RS = "Deployment.apps", "ReplicaSet.apps"
REVISION = "deployment.kubernetes.io/revision"


def a_cluster(**spec: Any) -> ControllerCluster:
    cluster = ControllerCluster("deployment,replicaset")
    cluster.create(a_workload("Deployment", **spec))
    return cluster


def sets(cluster: ControllerCluster) -> list[Resource]:
    """Returns the replica sets, the oldest first."""
    return list(cluster.store.list(RS))


def sizes(cluster: ControllerCluster) -> list[int]:
    return [each.manifest["spec"]["replicas"] for each in sets(cluster)]


def conditions(cluster: ControllerCluster) -> dict[str, tuple[str, str]]:
    told = cluster.status(D, "web").get("conditions") or []
    return {each["type"]: (each["status"], each["reason"]) for each in told}


def finish(cluster: ControllerCluster) -> None:
    """Lets kubelets do their work until nothing changes any more."""
    for _ in range(30):
        cluster.start()
        cluster.remove_deleted()


def test_a_deployment_makes_a_replica_set_of_its_template() -> None:
    cluster = a_cluster(replicas=2)
    (made,) = sets(cluster)
    document = made.render()
    hash_ = document["metadata"]["labels"]["pod-template-hash"]
    assert made.name == f"web-{hash_}"
    assert document["metadata"]["annotations"] == {
        REVISION: "1",
        "deployment.kubernetes.io/desired-replicas": "2",
        "deployment.kubernetes.io/max-replicas": "3",
    }
    labels = {"app": "web", "pod-template-hash": hash_}
    assert document["metadata"]["labels"] == document["spec"]["template"]["metadata"]["labels"] == labels
    assert document["spec"]["selector"] == {"matchLabels": labels}
    owner = cluster.get(D, "web")
    assert document["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "web",
            "uid": owner.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert owner.annotations == {REVISION: "1"}
    assert [pod.name.startswith(f"{made.name}-") for pod in cluster.pods()] == [True, True]
    assert cluster.told[0] == ("Normal", "ScalingReplicaSet", f"Scaled up replica set {made.name} from 0 to 2")


def test_the_status_tells_how_far_it_is() -> None:
    cluster = a_cluster(replicas=3)
    (made,) = sets(cluster)
    counts = {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "terminatingReplicas": 0}
    status = cluster.status(D, "web")
    told = status.pop("conditions")
    assert status == {**counts, "unavailableReplicas": 3}
    assert {each["type"]: each["reason"] for each in told} == {
        "Available": "MinimumReplicasUnavailable",
        "Progressing": "ReplicaSetUpdated",
    }
    cluster.start()
    status = cluster.status(D, "web")
    told = status.pop("conditions")
    assert status == {**counts, "readyReplicas": 3, "availableReplicas": 3}
    now = "2030-01-01T00:00:00Z"
    assert told == [
        {
            "type": "Available",
            "status": "True",
            "lastUpdateTime": now,
            "lastTransitionTime": now,
            "reason": "MinimumReplicasAvailable",
            "message": "Deployment has minimum availability.",
        },
        {
            "type": "Progressing",
            "status": "True",
            "lastUpdateTime": now,
            "lastTransitionTime": now,
            "reason": "NewReplicaSetAvailable",
            "message": f'ReplicaSet "{made.name}" has successfully progressed.',
        },
    ]


def test_a_rolling_update_goes_step_by_step() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
    cluster = a_cluster(replicas=4, strategy=rolling)
    cluster.start()
    cluster.change(D, "web", template=a_template(image="nginx:2"))
    assert sizes(cluster) == [3, 2]
    cluster.start()
    assert sizes(cluster) == [1, 4]  # two new ones are there: two old ones go, two more new ones come
    finish(cluster)
    assert sizes(cluster) == [0, 4]
    old, new = sets(cluster)
    assert (old.annotations[REVISION], new.annotations[REVISION]) == ("1", "2")
    assert cluster.get(D, "web").annotations[REVISION] == "2"
    assert conditions(cluster)["Progressing"] == ("True", "NewReplicaSetAvailable")


def test_recreate_waits_for_the_last_old_pod() -> None:
    cluster = a_cluster(replicas=2, strategy={"type": "Recreate"})
    cluster.start()
    cluster.change(D, "web", template=a_template(image="nginx:2"))
    assert (sizes(cluster), cluster.pods()) == ([0], [])
    cluster.remove_deleted()
    assert (sizes(cluster), len(cluster.pods())) == ([0, 2], 2)


def test_going_back_gives_an_old_replica_set_a_new_revision() -> None:
    cluster = a_cluster(replicas=1)
    for image in ("nginx:2", "nginx"):
        cluster.start()
        cluster.change(D, "web", template=a_template(image=image))
    finish(cluster)
    first, second = sets(cluster)
    assert (first.annotations[REVISION], second.annotations[REVISION]) == ("3", "2")
    assert first.annotations["deployment.kubernetes.io/revision-history"] == "1"
    assert sizes(cluster) == [1, 0]


def test_only_so_many_old_replica_sets_are_kept() -> None:
    cluster = a_cluster(replicas=1, revisionHistoryLimit=2)
    for number in range(5):
        cluster.change(D, "web", template=a_template(image=f"nginx:{number}"))
        finish(cluster)
    assert [each.annotations[REVISION] for each in sets(cluster)] == ["4", "5", "6"]


def test_a_paused_deployment_is_scaled_but_not_rolled_out() -> None:
    cluster = a_cluster(replicas=2)
    cluster.start()
    cluster.change(D, "web", paused=True)
    assert conditions(cluster)["Progressing"] == ("Unknown", "DeploymentPaused")
    cluster.change(D, "web", template=a_template(image="nginx:2"))
    cluster.change(D, "web", replicas=4)
    assert sizes(cluster) == [4]
    cluster.change(D, "web", paused=False)
    assert conditions(cluster)["Progressing"][1] in ("NewReplicaSetCreated", "ReplicaSetUpdated")
    finish(cluster)
    assert sizes(cluster) == [0, 4]


def test_scaling_during_a_rollout_is_proportional() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}
    cluster = a_cluster(replicas=10, strategy=rolling)
    cluster.start()
    cluster.change(D, "web", template=a_template(image="broken"))
    assert sizes(cluster) == [8, 5]
    cluster.change(D, "web", replicas=15)
    assert sizes(cluster) == [11, 7]


def test_a_rollout_without_progress_has_failed_after_its_deadline() -> None:
    cluster = a_cluster(replicas=1, progressDeadlineSeconds=10)
    cluster.run(9)
    assert conditions(cluster)["Progressing"] == ("True", "ReplicaSetUpdated")
    cluster.run(3)
    (made,) = sets(cluster)
    told = next(each for each in cluster.status(D, "web")["conditions"] if each["type"] == "Progressing")
    assert (told["status"], told["reason"]) == ("False", "ProgressDeadlineExceeded")
    assert told["message"] == f'ReplicaSet "{made.name}" has timed out progressing.'
    cluster.start()
    assert conditions(cluster)["Progressing"] == ("True", "NewReplicaSetAvailable")


def test_what_a_replica_set_fails_to_do_is_told() -> None:
    cluster = a_cluster(replicas=1, template=a_template(priorityClassName="high"))
    assert conditions(cluster)["ReplicaFailure"] == ("True", "FailedCreate")


def test_a_name_that_is_taken_makes_another_hash() -> None:
    cluster = a_cluster(replicas=1)
    taken = sets(cluster)[0].render()
    other = ControllerCluster("deployment,replicaset")
    other.create({"apiVersion": "v1", "kind": "Pod", **_pod()})  # so that uids differ
    labels = {"app": "other"}
    other.create(
        a_workload(
            "ReplicaSet", taken["metadata"]["name"], selector={"matchLabels": labels}, template=a_template(labels)
        )
    )
    other.create(a_workload("Deployment", replicas=1))
    other.run(1)
    assert other.status(D, "web")["collisionCount"] == 1
    assert len(other.pods(app="web")) == 1


def _pod() -> dict[str, Any]:
    return {"metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas", "most", "missing"),
    [
        ("25%", "25%", 4, 1, 1),
        ("25%", "25%", 1, 1, 0),
        ("25%", "25%", 10, 3, 2),
        (0, 0, 3, 0, 1),
        ("0%", "10%", 3, 0, 1),
        (2, "100%", 3, 2, 3),
        (5, 10, 3, 5, 3),
        (1, 1, 0, 1, 0),
    ],
)
def test_how_many_pods_may_be_too_many_or_missing(
    surge: object, unavailable: object, replicas: int, most: int, missing: int
) -> None:
    from wavetank.cluster.objects.resource import Resource
    from wavetank.controllers.deployments.draft import Draft

    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    draft = Draft(Resource(a_workload("Deployment", replicas=replicas, strategy=strategy)))
    assert (draft.max_surge, draft.max_unavailable) == (most, missing)
