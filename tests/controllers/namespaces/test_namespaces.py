from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import pod_manifest
from wavetank.controllers.namespaces import namespaces
from wavetank.kernel.durations import SECOND


def a_namespace(cluster: ControllerCluster, name: str = "ns") -> None:
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {}})


def inside(document: dict[str, Any], namespace: str = "ns") -> dict[str, Any]:
    return {**document, "metadata": {**document["metadata"], "namespace": namespace}}


def a_map(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ns", **metadata}}


def delete(cluster: ControllerCluster) -> None:
    cluster.client.delete(cluster.store.get("Namespace", "", "ns"))
    cluster.run()


def conditions(cluster: ControllerCluster) -> dict[str, tuple[str, str, str]]:
    found = cluster.store.get("Namespace", "", "ns").manifest["status"].get("conditions") or []
    return {each["type"]: (each["status"], each["reason"], each["message"]) for each in found}


def test_a_namespace_goes_with_all_that_is_in_it() -> None:
    cluster = ControllerCluster("namespace")
    a_namespace(cluster)
    cluster.create(a_map("m"))
    cluster.create(inside(pod_manifest("p")))
    delete(cluster)
    assert cluster.store.get("Namespace", "", "ns").manifest["status"]["phase"] == "Terminating"
    cluster.run(4.9)
    assert cluster.store.find("ConfigMap", "ns", "m") is not None
    cluster.run(0.2)
    assert cluster.store.find("Namespace", "", "ns") is None
    assert cluster.store.find("ConfigMap", "ns", "m") is None
    assert cluster.store.find("Pod", "ns", "p") is None


def test_pods_have_their_time_to_end_before_anything_else_goes() -> None:
    cluster = ControllerCluster("namespace")
    a_namespace(cluster)
    cluster.create(a_map("m"))
    cluster.create(inside(pod_manifest("p")))
    cluster.start()
    delete(cluster)
    cluster.run(6)
    assert cluster.store.get("Pod", "ns", "p").deleted is not None
    assert cluster.store.find("ConfigMap", "ns", "m") is not None
    cluster.remove_deleted()
    cluster.run(16)
    assert cluster.store.find("Namespace", "", "ns") is None


def test_what_stays_is_told() -> None:
    cluster = ControllerCluster("namespace")
    a_namespace(cluster)
    cluster.create(a_map("m", finalizers=["example.com/hold"]))
    delete(cluster)
    cluster.run(5)
    told = conditions(cluster)
    message = "Some resources are remaining: configmaps. has 1 resource instances"
    assert told["NamespaceContentRemaining"] == ("True", "SomeResourcesRemain", message)
    message = "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    assert told["NamespaceFinalizersRemaining"] == ("True", "SomeFinalizersRemain", message)
    assert told["NamespaceDeletionContentFailure"][0] == "False"


def test_every_namespace_has_an_account_and_a_certificate() -> None:
    cluster = ControllerCluster("serviceaccount,root-ca-cert-publisher")
    cluster.run()
    a_namespace(cluster)
    for namespace in ("default", "kube-system", "ns"):
        assert cluster.store.find("ServiceAccount", namespace, "default") is not None
        assert "ca.crt" in cluster.store.get("ConfigMap", namespace, "kube-root-ca.crt").manifest["data"]
    cluster.client.delete(cluster.store.get("ServiceAccount", "ns", "default"))
    changed = cluster.store.get("ConfigMap", "ns", "kube-root-ca.crt")
    cluster.client.update(changed, {**changed.render(), "data": {}})
    cluster.run()
    assert cluster.store.find("ServiceAccount", "ns", "default") is not None
    assert "ca.crt" in cluster.store.get("ConfigMap", "ns", "kube-root-ca.crt").manifest["data"]


def test_the_objects_of_a_large_namespace_are_deleted_in_several_events_of_one_instant() -> None:
    cluster = ControllerCluster("namespace")
    a_namespace(cluster)
    for i in range(2 * namespaces._AT_ONCE + 50):
        cluster.create(a_map(f"m{i}"))
    delete(cluster)
    events: list[int] = []  # how many are left after each
    while cluster.store.find("Namespace", "", "ns") is not None:
        cluster.store.clock.step()
        left = sum(each.namespace == "ns" for each in cluster.store.list("ConfigMap"))
        if not events or events[-1] != left:
            events.append(left)
    removed = [before - after for before, after in pairwise(events)]
    assert max(removed) <= namespaces._AT_ONCE
    assert sum(removed) == 2 * namespaces._AT_ONCE + 50
    assert cluster.store.clock.now == 5 * SECOND
