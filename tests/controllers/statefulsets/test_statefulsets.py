from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.worlds import World, a_pod, a_template, a_workload

S, CLAIM, REVISION = "StatefulSet.apps", "PersistentVolumeClaim", "ControllerRevision.apps"
PARALLEL = {"podManagementPolicy": "Parallel"}


def a_set(**spec: Any) -> dict[str, Any]:
    return a_workload("StatefulSet", serviceName="db", **spec)


def a_world(**spec: Any) -> World:
    world = World("statefulset")
    world.create(a_set(**spec))
    return world


def names(world: World) -> list[str]:
    return sorted(pod.name for pod in world.pods())


def finish(world: World) -> None:
    for _ in range(30):
        world.start()
        world.bury()


def a_claim_template(name: str = "data") -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": name}, "spec": spec}


def images(world: World) -> list[str]:
    return [pod.spec.images[0] for pod in sorted(world.pods(), key=lambda pod: pod.name)]


def test_pods_come_one_after_the_other() -> None:
    world = a_world(replicas=3)
    assert names(world) == ["web-0"]
    world.start()
    assert names(world) == ["web-0", "web-1"]
    world.start()
    world.start()
    assert names(world) == ["web-0", "web-1", "web-2"]
    (revision,) = world.store.list(REVISION)
    assert world.status(S, "web") == {
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
    world = a_world(replicas=1, volumeClaimTemplates=[a_claim_template()], ordinals={"start": 4})
    document = world.get("Pod", "web-4").render()
    (revision,) = world.store.list(REVISION)
    assert document["metadata"]["labels"] == {
        "app": "web",
        "statefulset.kubernetes.io/pod-name": "web-4",
        "apps.kubernetes.io/pod-index": "4",
        "controller-revision-hash": revision.name,
    }
    assert (document["spec"]["hostname"], document["spec"]["subdomain"]) == ("web-4", "db")
    assert document["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-4"}}]
    claim = world.get(CLAIM, "data-web-4").render()
    assert claim["metadata"]["labels"] == {"app": "web"}
    assert "ownerReferences" not in claim["metadata"]
    messages = [message for _, _, message in world.told]
    assert messages == [
        "Create Claim data-web-4 Pod web-4 in StatefulSet web success",
        "Create Pod web-4 in StatefulSet web successful",
    ]


def test_a_revision_holds_the_template() -> None:
    world = a_world(replicas=1)
    (revision,) = world.store.list(REVISION)
    document = revision.render()
    template = world.get(S, "web").manifest["spec"]["template"]
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
    world = a_world(replicas=5, **PARALLEL)
    assert len(world.pods()) == 5


def test_the_last_ones_go_first() -> None:
    world = a_world(replicas=3)
    finish(world)
    world.change(S, "web", replicas=1)
    assert names(world) == ["web-0", "web-1"]  # one at a time: web-2 is still going
    world.bury()
    world.bury()
    assert names(world) == ["web-0"]


def test_an_update_goes_from_the_last_to_the_first() -> None:
    world = a_world(replicas=3)
    finish(world)
    world.change(S, "web", template=a_template(image="nginx:2"))
    assert names(world) == ["web-0", "web-1"]
    old, new = sorted(world.store.list(REVISION), key=lambda each: each.manifest["revision"])
    status = world.status(S, "web")
    assert (status["currentRevision"], status["updateRevision"]) == (old.name, new.name)
    world.bury()
    world.start()
    assert images(world) == ["nginx", "nginx:2"]  # web-1 is next
    finish(world)
    assert images(world) == ["nginx:2"] * 3
    status = world.status(S, "web")
    assert (status["currentRevision"], status["updateRevision"]) == (new.name, new.name)
    assert (status["currentReplicas"], status["updatedReplicas"]) == (3, 3)


def test_below_the_partition_the_old_template_stays() -> None:
    world = a_world(replicas=3)
    finish(world)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    world.change(S, "web", updateStrategy=rolling, template=a_template(image="nginx:2"))
    finish(world)
    assert images(world) == ["nginx", "nginx", "nginx:2"]
    world.client.delete(world.get("Pod", "web-0"))
    finish(world)
    assert images(world) == ["nginx", "nginx", "nginx:2"]


def test_on_delete_waits_for_somebody_to_delete() -> None:
    world = a_world(replicas=2, updateStrategy={"type": "OnDelete"})
    finish(world)
    world.change(S, "web", template=a_template(image="nginx:2"))
    finish(world)
    assert images(world) == ["nginx", "nginx"]
    world.client.delete(world.get("Pod", "web-0"))
    finish(world)
    assert images(world) == ["nginx:2", "nginx"]


def test_going_back_numbers_the_old_revision_anew() -> None:
    world = a_world(replicas=1)
    for image in ("nginx:2", "nginx"):
        finish(world)
        world.change(S, "web", template=a_template(image=image))
    finish(world)
    assert sorted(each.manifest["revision"] for each in world.store.list(REVISION)) == [2, 3]


def test_only_so_many_revisions_are_kept() -> None:
    world = a_world(replicas=1, revisionHistoryLimit=2)
    for number in range(5):
        world.change(S, "web", template=a_template(image=f"nginx:{number}"))
        finish(world)
    assert sorted(each.manifest["revision"] for each in world.store.list(REVISION)) == [4, 5, 6]


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
    world = a_world(replicas=2, persistentVolumeClaimRetentionPolicy=policy, volumeClaimTemplates=templates)
    world.start()
    world.start()
    world.change(S, "web", replicas=1)

    def owners(name: str) -> list[str]:
        references = world.get(CLAIM, name).render()["metadata"].get("ownerReferences") or []
        return [reference["kind"] for reference in references]

    assert (owners("data-web-0"), owners("data-web-1")) == (kept, gone)


def test_a_pod_that_has_ended_makes_room_for_another() -> None:
    world = a_world(replicas=1)
    world.start()
    first = world.get("Pod", "web-0")
    world.end(first)
    world.bury()
    assert world.get("Pod", "web-0").uid != first.uid


def test_an_orphan_of_the_right_name_is_adopted() -> None:
    world = World("statefulset")
    world.create(a_pod("web-0", app="web"))
    world.create(a_pod("web-x", app="web"))
    world.create(a_set(replicas=1))
    adopted = world.get("Pod", "web-0").render()
    assert adopted["metadata"]["ownerReferences"][0]["kind"] == "StatefulSet"
    assert "ownerReferences" not in world.get("Pod", "web-x").render()["metadata"]


def test_a_pod_is_waited_for_until_it_is_available() -> None:
    world = a_world(replicas=2, minReadySeconds=10)
    world.start()
    world.settle(9)
    assert names(world) == ["web-0"]
    world.settle(2)
    assert names(world) == ["web-0", "web-1"]


STEPS = st.lists(
    st.tuples(st.sampled_from(["image", "scale", "start", "start", "bury", "end", "delete"]), st.integers(0, 4)),
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(STEPS, st.booleans(), st.integers(0, 2))
def test_a_set_converges(steps: list[tuple[str, int]], parallel: bool, partition: int) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}
    world = a_world(replicas=2, updateStrategy=rolling, **(PARALLEL if parallel else {}))
    image, replicas = "nginx", 2
    for step, number in steps:
        pods = world.pods()
        if step == "image":
            image = f"nginx:{number}"
            world.change(S, "web", template=a_template(image=image))
        elif step == "scale":
            world.change(S, "web", replicas=number)
            replicas = number
        elif step == "start":
            world.start(pods[:number])
        elif step == "bury":
            world.bury()
        elif pods and step == "end":
            world.end(pods[number % len(pods)])
        elif pods:
            world.client.delete(pods[number % len(pods)])
            world.settle()
        assert len(set(names(world))) == len(world.pods())
    finish(world)
    assert names(world) == [f"web-{number}" for number in range(replicas)]
    assert set(images(world)[partition:]) <= {image}
    status = world.status(S, "web")
    assert status["replicas"] == status["availableReplicas"] == replicas
