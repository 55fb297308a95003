from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster, a_template, a_workload
from tests.support.objects import pod_manifest

S, CLAIM, REVISION = "StatefulSet.apps", "PersistentVolumeClaim", "ControllerRevision.apps"
PARALLEL = {"podManagementPolicy": "Parallel"}


def a_set(**spec: Any) -> dict[str, Any]:
    return a_workload("StatefulSet", serviceName="db", **spec)


def a_cluster(**spec: Any) -> ControllerCluster:
    cluster = ControllerCluster("statefulset")
    cluster.create(a_set(**spec))
    return cluster


def names(cluster: ControllerCluster) -> list[str]:
    return sorted(pod.name for pod in cluster.pods())


def finish(cluster: ControllerCluster) -> None:
    for _ in range(30):
        cluster.start()
        cluster.remove_deleted()


def a_claim_template(name: str = "data") -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": name}, "spec": spec}


def images(cluster: ControllerCluster) -> list[str]:
    return [pod.spec.images[0] for pod in sorted(cluster.pods(), key=lambda pod: pod.name)]


def test_pods_come_one_after_the_other() -> None:
    cluster = a_cluster(replicas=3)
    assert names(cluster) == ["web-0"]
    cluster.start()
    assert names(cluster) == ["web-0", "web-1"]
    cluster.start()
    cluster.start()
    assert names(cluster) == ["web-0", "web-1", "web-2"]
    (revision,) = cluster.store.list(REVISION)
    assert cluster.status(S, "web") == {
        "observedGeneration": 1,
        "replicas": 3,
        "readyReplicas": 3,
        "currentReplicas": 3,
        "updatedReplicas": 3,
        "currentRevision": revision.name,
        "updateRevision": revision.name,
        "collisionCount": 0,
        "availableReplicas": 3,
    }


def test_a_pod_tells_which_one_it_is() -> None:
    cluster = a_cluster(replicas=1, volumeClaimTemplates=[a_claim_template()], ordinals={"start": 4})
    document = cluster.get("Pod", "web-4").render()
    (revision,) = cluster.store.list(REVISION)
    assert document["metadata"]["labels"] == {
        "app": "web",
        "statefulset.kubernetes.io/pod-name": "web-4",
        "apps.kubernetes.io/pod-index": "4",
        "controller-revision-hash": revision.name,
    }
    assert (document["spec"]["hostname"], document["spec"]["subdomain"]) == ("web-4", "db")
    assert document["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-4"}}]
    claim = cluster.get(CLAIM, "data-web-4").render()
    assert claim["metadata"]["labels"] == {"app": "web"}
    assert "ownerReferences" not in claim["metadata"]
    messages = [message for _, _, message in cluster.told]
    assert messages == [
        "Create Claim data-web-4 Pod web-4 in StatefulSet web success",
        "Create Pod web-4 in StatefulSet web successful",
    ]


def test_a_revision_holds_the_template() -> None:
    cluster = a_cluster(replicas=1)
    (revision,) = cluster.store.list(REVISION)
    document = revision.render()
    template = cluster.get(S, "web").manifest["spec"]["template"]
    assert document["data"] == {"spec": {"template": {**template, "$patch": "replace"}}}
    assert document["revision"] == 1
    assert document["metadata"]["labels"]["app"] == "web"
    assert revision.name == f"web-{document['metadata']['labels']['controller.kubernetes.io/hash']}"


def test_the_hash_is_that_of_kube_controller_manager() -> None:
    """Computed with the real code: history.HashControllerRevision over the bytes of this patch, collision count 0."""
    from wavetank.controllers.hashing.hashes import data_hash
    from wavetank.controllers.revisions.patches import patch_of, patch_text

    template = {"spec": {"containers": [{"name": "c", "args": ["a<b>&c"]}]}, "metadata": {"labels": {"app": "web"}}}
    text = patch_text(patch_of(template))
    assert text == (
        b'{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"web"}},'
        b'"spec":{"containers":[{"args":["a\\u003cb\\u003e\\u0026c"],"name":"c"}]}}}}'
    )
    assert data_hash(text, 0) == "7db8fb864d"


def test_in_parallel_all_come_at_once() -> None:
    cluster = a_cluster(replicas=5, **PARALLEL)
    assert len(cluster.pods()) == 5


def test_the_last_ones_go_first() -> None:
    cluster = a_cluster(replicas=3)
    finish(cluster)
    cluster.change(S, "web", replicas=1)
    assert names(cluster) == ["web-0", "web-1"]  # one at a time: web-2 is still going
    cluster.remove_deleted()
    cluster.remove_deleted()
    assert names(cluster) == ["web-0"]


def test_an_update_goes_from_the_last_to_the_first() -> None:
    cluster = a_cluster(replicas=3)
    finish(cluster)
    cluster.change(S, "web", template=a_template(image="nginx:2"))
    assert names(cluster) == ["web-0", "web-1"]
    old, new = sorted(cluster.store.list(REVISION), key=lambda each: each.manifest["revision"])
    status = cluster.status(S, "web")
    assert (status["currentRevision"], status["updateRevision"]) == (old.name, new.name)
    cluster.remove_deleted()
    cluster.start()
    assert images(cluster) == ["nginx", "nginx:2"]  # web-1 is next
    finish(cluster)
    assert images(cluster) == ["nginx:2"] * 3
    status = cluster.status(S, "web")
    assert (status["currentRevision"], status["updateRevision"]) == (new.name, new.name)
    assert (status["currentReplicas"], status["updatedReplicas"]) == (3, 3)


def test_below_the_partition_the_old_template_stays() -> None:
    cluster = a_cluster(replicas=3)
    finish(cluster)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    cluster.change(S, "web", updateStrategy=rolling, template=a_template(image="nginx:2"))
    finish(cluster)
    assert images(cluster) == ["nginx", "nginx", "nginx:2"]
    cluster.client.delete(cluster.get("Pod", "web-0"))
    finish(cluster)
    assert images(cluster) == ["nginx", "nginx", "nginx:2"]


def test_on_delete_replaces_pods_only_after_their_deletion() -> None:
    cluster = a_cluster(replicas=2, updateStrategy={"type": "OnDelete"})
    finish(cluster)
    cluster.change(S, "web", template=a_template(image="nginx:2"))
    finish(cluster)
    assert images(cluster) == ["nginx", "nginx"]
    cluster.client.delete(cluster.get("Pod", "web-0"))
    finish(cluster)
    assert images(cluster) == ["nginx:2", "nginx"]


def test_going_back_numbers_the_old_revision_anew() -> None:
    cluster = a_cluster(replicas=1)
    for image in ("nginx:2", "nginx"):
        finish(cluster)
        cluster.change(S, "web", template=a_template(image=image))
    finish(cluster)
    assert sorted(each.manifest["revision"] for each in cluster.store.list(REVISION)) == [2, 3]


def test_only_so_many_revisions_are_kept() -> None:
    cluster = a_cluster(replicas=1, revisionHistoryLimit=2)
    for number in range(5):
        cluster.change(S, "web", template=a_template(image=f"nginx:{number}"))
        finish(cluster)
    assert sorted(each.manifest["revision"] for each in cluster.store.list(REVISION)) == [4, 5, 6]


@pytest.mark.parametrize(
    ("scaled", "deleted", "kept", "gone"),
    [
        ("Retain", "Retain", [], []),
        ("Retain", "Delete", ["StatefulSet"], ["StatefulSet"]),
        ("Delete", "Retain", [], ["Pod"]),
        ("Delete", "Delete", ["StatefulSet"], ["Pod"]),
    ],
)
def test_claims_belong_to_whom_the_policy_says(scaled: str, deleted: str, kept: list[str], gone: list[str]) -> None:
    policy = {"whenScaled": scaled, "whenDeleted": deleted}
    templates = [a_claim_template()]
    cluster = a_cluster(replicas=2, persistentVolumeClaimRetentionPolicy=policy, volumeClaimTemplates=templates)
    cluster.start()
    cluster.start()
    cluster.change(S, "web", replicas=1)

    def owners(name: str) -> list[str]:
        references = cluster.get(CLAIM, name).render()["metadata"].get("ownerReferences") or []
        return [reference["kind"] for reference in references]

    assert (owners("data-web-0"), owners("data-web-1")) == (kept, gone)


def test_a_pod_that_has_ended_makes_room_for_another() -> None:
    cluster = a_cluster(replicas=1)
    cluster.start()
    first = cluster.get("Pod", "web-0")
    cluster.end(first)
    cluster.remove_deleted()
    assert cluster.get("Pod", "web-0").uid != first.uid


def test_an_orphan_of_the_right_name_is_adopted() -> None:
    cluster = ControllerCluster("statefulset")
    cluster.create(pod_manifest("web-0", labels={"app": "web"}))
    cluster.create(pod_manifest("web-x", labels={"app": "web"}))
    cluster.create(a_set(replicas=1))
    adopted = cluster.get("Pod", "web-0").render()
    assert adopted["metadata"]["ownerReferences"][0]["kind"] == "StatefulSet"
    assert "ownerReferences" not in cluster.get("Pod", "web-x").render()["metadata"]


def test_a_pod_is_waited_for_until_it_is_available() -> None:
    cluster = a_cluster(replicas=2, minReadySeconds=10)
    cluster.start()
    cluster.run(9)
    assert names(cluster) == ["web-0"]
    cluster.run(2)
    assert names(cluster) == ["web-0", "web-1"]


STEPS = st.lists(
    st.tuples(st.sampled_from(["image", "scale", "start", "start", "bury", "end", "delete"]), st.integers(0, 4)),
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(STEPS, st.booleans(), st.integers(0, 2))
def test_a_set_converges(steps: list[tuple[str, int]], parallel: bool, partition: int) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}
    cluster = a_cluster(replicas=2, updateStrategy=rolling, **(PARALLEL if parallel else {}))
    image, replicas = "nginx", 2
    for step, number in steps:
        pods = cluster.pods()
        if step == "image":
            image = f"nginx:{number}"
            cluster.change(S, "web", template=a_template(image=image))
        elif step == "scale":
            cluster.change(S, "web", replicas=number)
            replicas = number
        elif step == "start":
            cluster.start(pods[:number])
        elif step == "bury":
            cluster.remove_deleted()
        elif pods and step == "end":
            cluster.end(pods[number % len(pods)])
        elif pods:
            cluster.client.delete(pods[number % len(pods)])
            cluster.run()
        assert len(set(names(cluster))) == len(cluster.pods())
    finish(cluster)
    assert names(cluster) == [f"web-{number}" for number in range(replicas)]
    assert set(images(cluster)[partition:]) <= {image}
    status = cluster.status(S, "web")
    assert status["replicas"] == status["availableReplicas"] == replicas
