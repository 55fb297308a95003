from __future__ import annotations

import pytest

from tests.apiserver.inprocess import MAPS, PODS, Caller, a_map
from tests.support.objects import pod_manifest
from wavetank.kernel.durations import SECOND

JOBS = "/apis/batch/v1/namespaces/default/jobs"


@pytest.fixture
def caller() -> Caller:
    caller = Caller()
    caller.create(MAPS, a_map("a"))
    return caller


def test_a_deletion_answers_what_is_gone(caller: Caller) -> None:
    uid = caller.get(f"{MAPS}/a").body["metadata"]["uid"]
    answer = caller.ask("DELETE", f"{MAPS}/a").body
    assert (answer["status"], answer["details"]) == ("Success", {"name": "a", "kind": "configmaps", "uid": uid})
    assert caller.get(f"{MAPS}/a").status == 404


def test_finalizers_keep_an_object_until_the_last_is_gone(caller: Caller) -> None:
    caller.create(MAPS, a_map("f", finalizers=["x.io/f"]))
    watch = caller.watch(f"{MAPS}?watch=true&resourceVersion={caller.get(MAPS).version}")
    marked = caller.ask("DELETE", f"{MAPS}/f").body
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 0
    taken = caller.ask("POST", MAPS, a_map("f"))
    assert taken.body["message"] == 'object is being deleted: configmaps "f" already exists'
    assert caller.merge(f"{MAPS}/f", {"metadata": {"finalizers": None}}).status == 200
    assert caller.get(f"{MAPS}/f").status == 404
    assert watch.told() == [("MODIFIED", "f"), ("DELETED", "f")]


@pytest.mark.parametrize(
    ("node", "query", "grace"),
    [
        pytest.param("n", "", 30, id="its own grace"),
        pytest.param("n", "gracePeriodSeconds=5", 5, id="the client's"),
        pytest.param("n", "gracePeriodSeconds=-1", 1, id="less than nothing is a second"),
        pytest.param("n", "gracePeriodSeconds=0", None, id="none"),
        pytest.param("", "gracePeriodSeconds=5", None, id="it does not run"),
    ],
)
def test_a_pod_has_time_to_stop(caller: Caller, node: str, query: str, grace: int | None) -> None:
    caller.create(PODS, pod_manifest("p", nodeName=node))
    caller.ask("DELETE", f"{PODS}/p?{query}")
    left = caller.get(f"{PODS}/p")
    if grace is None:
        assert left.status == 404
    else:
        metadata = left.body["metadata"]
        assert (metadata["deletionGracePeriodSeconds"], metadata["generation"]) == (grace, 2)
        pod = caller.store.get("Pod", "default", "p")
        assert pod.deleted == caller.clock.now + grace * SECOND


def test_a_grace_period_can_only_become_shorter(caller: Caller) -> None:
    caller.create(PODS, pod_manifest("p", nodeName="n"))
    for asked, left in ((10, 10), (20, 10), (4, 4)):
        caller.ask("DELETE", f"{PODS}/p?gracePeriodSeconds={asked}")
        assert caller.get(f"{PODS}/p").body["metadata"]["deletionGracePeriodSeconds"] == left


def test_a_body_wins_over_the_query(caller: Caller) -> None:
    options = {"kind": "DeleteOptions", "apiVersion": "v1"}
    assert caller.ask("DELETE", f"{MAPS}/a?dryRun=All", options).status == 200
    assert caller.get(f"{MAPS}/a").status == 404


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"preconditions": {"uid": "x"}}, 409),
        ({"preconditions": {"resourceVersion": "1"}}, 409),
        ({"propagationPolicy": "Odd"}, 422),
        ({"propagationPolicy": "Orphan", "orphanDependents": True}, 422),
        ({"dryRun": ["Some"]}, 422),
        ({"dryRun": ["All"]}, 200),
    ],
)
def test_what_does_not_hold_is_refused(caller: Caller, options: dict[str, object], status: int) -> None:
    assert caller.ask("DELETE", f"{MAPS}/a", options).status == status
    assert caller.get(f"{MAPS}/a").status == 200


@pytest.mark.parametrize(
    ("policy", "finalizers"), [("Foreground", ["foregroundDeletion"]), ("Orphan", ["orphan"]), ("Background", None)]
)
def test_dependents_are_left_to_the_garbage_collector(
    caller: Caller, policy: str, finalizers: list[str] | None
) -> None:
    caller.ask("DELETE", f"{MAPS}/a?propagationPolicy={policy}")
    left = caller.get(f"{MAPS}/a")
    assert left.body.get("metadata", {}).get("finalizers") == finalizers


def test_a_job_keeps_its_pods_unless_told_otherwise(caller: Caller) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}
    caller.create(JOBS, {"metadata": {"name": "j"}, "spec": {"template": template}})
    answer = caller.ask("DELETE", f"{JOBS}/j")
    assert answer.body["metadata"]["finalizers"] == ["orphan"]
    assert "child pods are preserved by default" in answer.headers["warning"]


def test_a_collection_is_deleted_as_far_as_it_is_selected(caller: Caller) -> None:
    for name in "bcd":
        caller.create(MAPS, a_map(name, labels={"x": "1"}))
    answer = caller.ask("DELETE", f"{MAPS}?labelSelector=x=1&limit=2")
    assert (answer.names, caller.get(MAPS).names) == (["b", "c"], ["a", "d"])


def test_a_namespace_ends_when_it_is_finalized(caller: Caller) -> None:
    caller.create("/api/v1/namespaces", {"metadata": {"name": "n"}})
    going = caller.ask("DELETE", "/api/v1/namespaces/n").body
    assert going["status"]["phase"] == "Terminating"
    refused = caller.ask("POST", "/api/v1/namespaces/n/configmaps", a_map("x"))
    assert refused.body["details"]["causes"][0]["reason"] == "NamespaceTerminating"
    empty = {"metadata": {"name": "n"}, "spec": {"finalizers": []}}
    assert caller.ask("PUT", "/api/v1/namespaces/n/finalize", empty).status == 200
    assert caller.get("/api/v1/namespaces/n").status == 404
