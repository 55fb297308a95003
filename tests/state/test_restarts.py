"""After its server was killed a kept cluster goes on as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.state.kept import DEPLOYMENTS, MAPS, PODS, Document, KeptCluster, a_setting
from tests.support.objects import pod_manifest
from wavetank.apiserver.requests.request import Response
from wavetank.apiserver.verbs.watching import WatchStream
from wavetank.ui.nodefaults import fail_node, recover_node


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KeptCluster]:
    made = KeptCluster(tmp_path / "state", a_setting())
    yield made
    made.close()


def a_deployment(name: str, replicas: int) -> Document:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "app:1"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def without_versions(listed: Document) -> list[Document]:
    """Returns objects without what may differ if time has passed in other steps."""
    return [{**each, "metadata": {**each["metadata"], "resourceVersion": ""}} for each in listed["items"]]


def test_all_objects_are_as_they_were(cluster: KeptCluster) -> None:
    cluster.create(PODS, pod_manifest("p"))
    cluster.create(PODS, pod_manifest("large", cpu="100"))
    cluster.create(DEPLOYMENTS, a_deployment("web", 3))
    cluster.create(
        "/api/v1/namespaces/default/services", {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}
    )
    cluster.advance(100)
    again = cluster.killed()
    for kind in ("nodes", "pods", "namespaces", "services", "endpoints", "serviceaccounts", "configmaps"):
        assert again.ask("GET", f"/api/v1/{kind}")["items"] == cluster.ask("GET", f"/api/v1/{kind}")["items"]
    for kind in ("replicasets", "deployments"):
        assert (
            again.ask("GET", f"/apis/apps/v1/{kind}")["items"] == cluster.ask("GET", f"/apis/apps/v1/{kind}")["items"]
        )
    before, after = (each.ask("GET", "/api/v1/events")["items"] for each in (cluster, again))
    assert [event for event in after if event["reason"] != "RegisteredNode"] == [
        event for event in before if event["reason"] != "RegisteredNode"
    ]  # which controllers tell again when they start
    assert again.cluster.clock.now == cluster.cluster.clock.now


LIVES: dict[str, Document] = {
    "a pod that ends": pod_manifest("p", duration="100s", restartPolicy="Never"),
    "a pod that runs until it is stopped": pod_manifest("p"),
    "a pod that fails again and again": pod_manifest(
        "p", duration="20s", restartPolicy="OnFailure", annotations={"wavetank.dev/exit-code": "1"}
    ),
    "a pod that is started again and again": pod_manifest("p", duration="30s", restartPolicy="Always"),
    "a pod with a deadline": pod_manifest("p", activeDeadlineSeconds=90),
    "a pod for which there is no node": pod_manifest("p", cpu="100"),
}


@pytest.mark.parametrize("pod", LIVES.values(), ids=LIVES)
def test_the_life_of_a_pod_goes_on_to_the_second(cluster: KeptCluster, pod: Document) -> None:
    cluster.create(PODS, pod)
    again = cluster.killed()
    for _ in range(8):
        cluster.advance(23.5)
        again.advance(23.5)
        assert without_versions(again.ask("GET", PODS)) == without_versions(cluster.ask("GET", PODS))
        again = again.killed()


def test_a_pod_that_is_being_stopped_is_stopped_in_time(cluster: KeptCluster) -> None:
    cluster.create(PODS, pod_manifest("p", annotations={"wavetank.dev/termination": "20s"}))
    cluster.advance(1)
    cluster.ask("DELETE", f"{PODS}/p")
    cluster.advance(15)
    again = cluster.killed()
    again.advance(4)
    assert "deletionTimestamp" in again.ask("GET", f"{PODS}/p")["metadata"]
    again.advance(1)
    again.ask("GET", f"{PODS}/p", status=404)


def test_new_pods_get_names_addresses_and_uids_of_their_own(cluster: KeptCluster) -> None:
    cluster.create(DEPLOYMENTS, a_deployment("web", 3))
    cluster.advance(1)
    again = cluster.killed()
    again.ask("PATCH", f"{DEPLOYMENTS}/web", {"spec": {"replicas": 7}})
    again.create(MAPS, {"metadata": {"generateName": "c-"}})
    again.advance(1)
    pods = again.pods()
    assert len(pods) == 7
    assert cluster.pods().items() <= pods.items()
    for value in (lambda pod: pod["status"]["podIP"], lambda pod: pod["metadata"]["uid"]):
        assert len({value(pod) for pod in pods.values()}) == 7


def test_a_crashed_machine_stays_down_until_it_is_repaired(cluster: KeptCluster) -> None:
    cluster.create(PODS, pod_manifest("p", duration="100s", restartPolicy="Never", nodeName="n1"))
    cluster.advance(10)
    fail_node(cluster.cluster, "n1")
    cluster.state.journal.commit()
    again = cluster.killed()
    again.advance(120)
    assert again.pods()["p"]["status"]["phase"] == "Running"
    recover_node(again.cluster, "n1")
    again.advance(1)
    assert again.pods()["p"]["status"]["phase"] == "Failed"


def test_custom_kinds_and_their_objects_are_served_again(cluster: KeptCluster) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}
    spec = {
        "group": "example.com",
        "names": {"plural": "toys", "kind": "Toy"},
        "scope": "Cluster",
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
    }
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    cluster.create(path, {**definition, "metadata": {"name": "toys.example.com"}, "spec": spec})
    cluster.create(
        "/apis/example.com/v1/toys", {"apiVersion": "example.com/v1", "kind": "Toy", "metadata": {"name": "t"}}
    )
    again = cluster.killed()
    assert again.ask("GET", "/apis/example.com/v1/toys/t") == cluster.ask("GET", "/apis/example.com/v1/toys/t")
    again.ask("DELETE", f"{path}/toys.example.com")
    answer = again.send("GET", "/apis/example.com/v1/toys/t")
    assert isinstance(answer, Response)
    assert answer.status == 404


def watched(cluster: KeptCluster, version: int) -> list[Any]:
    stream = cluster.send("GET", f"{MAPS}?watch=true&resourceVersion={version}")
    assert isinstance(stream, WatchStream)
    cluster.create(MAPS, {"metadata": {"name": "new"}})
    return [json.loads(line) for line in stream.take().splitlines()]


def test_a_watch_goes_on_from_the_last_version_and_an_older_one_has_expired(cluster: KeptCluster) -> None:
    cluster.create(MAPS, {"metadata": {"name": "a"}})
    version = cluster.cluster.store.version
    (event,) = watched(cluster.killed(), version)
    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", "new")
    assert int(event["object"]["metadata"]["resourceVersion"]) > version
    assert watched(cluster.killed(), version - 1)[0]["object"]["code"] == 410


def test_a_conflicting_update_is_refused_after_a_restart_too(cluster: KeptCluster) -> None:
    old = cluster.create(MAPS, {"metadata": {"name": "a"}})
    cluster.ask("PATCH", f"{MAPS}/a", {"data": {"a": "b"}})
    cluster.killed().ask("PUT", f"{MAPS}/a", {**old, "data": {"a": "c"}}, 409)
