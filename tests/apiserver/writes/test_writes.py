from __future__ import annotations

import re

import pytest

from tests.apiserver.inprocess import MAPS, MERGE, PODS, Caller, a_map
from tests.support.objects import pod_manifest
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import PodBehavior

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


def a_deployment(name: str) -> dict[str, object]:
    pod = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "img:1"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "a"}}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


@pytest.fixture
def caller() -> Caller:
    caller = Caller()
    caller.create(MAPS, a_map("a"))
    return caller


def test_a_new_object_gets_what_the_server_gives(caller: Caller) -> None:
    metadata = caller.get(f"{MAPS}/a").body["metadata"]
    given = {"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "managedFields"}
    assert metadata.keys() == given


def test_what_is_created_can_be_read_by_actors_inside(caller: Caller) -> None:
    caller.create(PODS, pod_manifest("p"))
    pod = caller.store.get("Pod", "default", "p")
    assert isinstance(pod, Pod)
    assert (pod.phase, pod.scheduler_name) == ("Pending", "default-scheduler")


def test_a_name_is_taken_once(caller: Caller) -> None:
    answer = caller.ask("POST", MAPS, a_map("a"))
    assert (answer.status, answer.body["message"]) == (409, 'configmaps "a" already exists')


def test_generated_names_have_five_random_characters(caller: Caller) -> None:
    made = {caller.create(MAPS, {"metadata": {"generateName": "x-"}}).body["metadata"]["name"] for _ in range(20)}
    assert len(made) == 20
    assert all(re.fullmatch("x-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in made)


def test_a_dry_run_changes_nothing(caller: Caller) -> None:
    version = caller.store.version
    created = caller.ask("POST", f"{MAPS}?dryRun=All", a_map("b"))
    patched = caller.ask("PATCH", f"{MAPS}/a?dryRun=All", {"data": {"k": "2"}}, content_type=MERGE)
    assert (created.status, patched.status, caller.store.version) == (201, 200, version)
    assert "resourceVersion" not in created.body["metadata"]
    assert patched.body["data"] == {"k": "2"}


@pytest.mark.parametrize(
    ("method", "body"),
    [("PUT", a_map("a")), ("PATCH", {"data": {"k": "v"}}), ("PATCH", {})],
)
def test_a_write_that_changes_nothing_makes_no_version(caller: Caller, method: str, body: object) -> None:
    before = caller.get(f"{MAPS}/a").body
    content = MERGE if method == "PATCH" else "application/json"
    assert caller.ask(method, f"{MAPS}/a", body, content_type=content).body == before


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        ({"resourceVersion": ""}, 200, ""),
        ({"resourceVersion": "0"}, 200, ""),
        ({"resourceVersion": "1"}, 409, "the object has been modified; please apply your changes"),
        ({"resourceVersion": "abc"}, 500, 'strconv.ParseUint: parsing "abc": invalid syntax'),
        ({"uid": "x"}, 409, "Precondition failed: UID in precondition: x, UID in object meta: "),
        ({"name": "b"}, 400, "the name of the object (b) does not match the name on the URL (a)"),
        ({"name": ""}, 400, "(a based on URL) was undeterminable: name must be provided"),
        ({"namespace": "x"}, 400, "the namespace of the provided object does not match the namespace sent"),
    ],
)
def test_what_a_put_may_say_of_its_object(caller: Caller, changes: dict[str, str], status: int, message: str) -> None:
    answer = caller.ask("PUT", f"{MAPS}/a", {**a_map("a"), "metadata": {"name": "a", **changes}, "data": {"k": "2"}})
    assert answer.status == status
    assert message in answer.body.get("message", "")


def test_a_put_of_what_is_not_there(caller: Caller) -> None:
    assert caller.ask("PUT", f"{MAPS}/z", a_map("z")).status == 404
    lease = {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}
    assert caller.ask("PUT", f"{LEASES}/l", lease).status == 201  # leases are created by it
    again = caller.ask("PUT", f"{LEASES}/l", lease)
    assert (again.status, again.body["details"]["causes"][0]["field"]) == (422, "metadata.resourceVersion")


def test_status_and_spec_are_written_apart(caller: Caller) -> None:
    made = caller.create(DEPLOYMENTS, a_deployment("d")).body
    both = {"spec": {"replicas": 5}, "status": {"replicas": 7}}
    of_status = caller.merge(f"{DEPLOYMENTS}/d/status", both).body
    assert (of_status["spec"]["replicas"], of_status["status"]["replicas"]) == (2, 7)
    of_spec = caller.merge(f"{DEPLOYMENTS}/d", {"spec": {"replicas": 5}, "status": {"replicas": 9}}).body
    assert (of_spec["spec"]["replicas"], of_spec["status"]["replicas"]) == (5, 7)
    assert [each["metadata"]["generation"] for each in (made, of_status, of_spec)] == [1, 1, 2]


def test_what_runs_inside_survives_a_write_from_outside(caller: Caller) -> None:
    caller.create(PODS, pod_manifest("p"))
    pod = caller.store.get("Pod", "default", "p")
    assert isinstance(pod, Pod)
    new = pod.copy()
    new.behavior, new.restarts, new.started = PodBehavior(duration=5), 3, 7
    caller.store.update(new)
    caller.merge(f"{PODS}/p", {"metadata": {"labels": {"x": "1"}}})
    written = caller.store.get("Pod", "default", "p")
    assert isinstance(written, Pod)
    assert (written.behavior, written.restarts, written.started) == (new.behavior, 3, 7)


def test_owners_are_named_once(caller: Caller) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    answer = caller.create(MAPS, a_map("owned", ownerReferences=[owner, owner]))
    assert len(answer.body["metadata"]["ownerReferences"]) == 1
    assert "duplicate UID(s) observed: u" in answer.headers["warning"]


def test_applying_merges_or_creates(caller: Caller) -> None:
    apply = "application/apply-patch+yaml"
    made = caller.ask("PATCH", f"{MAPS}/new?fieldManager=m", a_map("new"), content_type=apply)
    more = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}, "data": {"l": "w"}}
    merged = caller.ask("PATCH", f"{MAPS}/new?fieldManager=another", more, content_type=apply)
    assert (made.status, merged.status, merged.body["data"]) == (201, 200, {"k": "v", "l": "w"})
    assert caller.ask("PATCH", f"{MAPS}/new", more, content_type=apply).status == 422
    caller.create(DEPLOYMENTS, a_deployment("d"))
    status = {"apiVersion": "apps/v1", "kind": "Deployment", "status": {"replicas": 2}}
    answer = caller.ask("PATCH", f"{DEPLOYMENTS}/d/status?fieldManager=m", status, content_type=apply)
    assert (answer.status, answer.body["status"]) == (200, {"replicas": 2})


def test_an_autoscaler_is_one_object_in_two_versions(caller: Caller) -> None:
    path = "/apis/autoscaling/{}/namespaces/default/horizontalpodautoscalers"
    target = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
    spec = {"scaleTargetRef": target, "maxReplicas": 3, "targetCPUUtilizationPercentage": 50}
    caller.create(path.format("v1"), {"metadata": {"name": "h"}, "spec": spec})
    new = caller.get(path.format("v2") + "/h").body
    assert new["spec"]["metrics"][0]["resource"]["target"] == {"type": "Utilization", "averageUtilization": 50}
    old = caller.get(path.format("v1") + "/h").body
    assert (old["apiVersion"], old["spec"]["targetCPUUtilizationPercentage"]) == ("autoscaling/v1", 50)


def test_the_first_write_of_a_claim_stores_its_defaults(caller: Caller) -> None:
    claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    made = caller.ask("POST", claims, {"metadata": {"name": "c"}, "spec": spec})
    first, second = (caller.ask("PATCH", f"{claims}/c", {}, content_type=MERGE) for _ in range(2))
    assert made.version != first.version == second.version
