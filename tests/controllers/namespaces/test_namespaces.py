from __future__ import annotations

from typing import Any

from tests.controllers.worlds import World, a_pod


def a_namespace(world: World, name: str = "ns") -> None:
    world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {}})


def inside(document: dict[str, Any], namespace: str = "ns") -> dict[str, Any]:
    return {**document, "metadata": {**document["metadata"], "namespace": namespace}}


def a_map(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ns", **metadata}}


def delete(world: World) -> None:
    world.client.delete(world.store.get("Namespace", "", "ns"))
    world.settle()


def conditions(world: World) -> dict[str, tuple[str, str, str]]:
    found = world.store.get("Namespace", "", "ns").manifest["status"].get("conditions") or []
    return {each["type"]: (each["status"], each["reason"], each["message"]) for each in found}


def test_a_namespace_goes_with_all_that_is_in_it() -> None:
    world = World("namespace")
    a_namespace(world)
    world.create(a_map("m"))
    world.create(inside(a_pod("p")))
    delete(world)
    assert world.store.get("Namespace", "", "ns").manifest["status"]["phase"] == "Terminating"
    world.settle(4.9)
    assert world.store.find("ConfigMap", "ns", "m") is not None
    world.settle(0.2)
    assert world.store.find("Namespace", "", "ns") is None
    assert world.store.find("ConfigMap", "ns", "m") is None
    assert world.store.find("Pod", "ns", "p") is None


def test_pods_have_their_time_to_end_before_anything_else_goes() -> None:
    world = World("namespace")
    a_namespace(world)
    world.create(a_map("m"))
    world.create(inside(a_pod("p")))
    world.start()
    delete(world)
    world.settle(6)
    assert world.store.get("Pod", "ns", "p").deleted is not None
    assert world.store.find("ConfigMap", "ns", "m") is not None
    world.bury()
    world.settle(16)
    assert world.store.find("Namespace", "", "ns") is None


def test_what_stays_is_told() -> None:
    world = World("namespace")
    a_namespace(world)
    world.create(a_map("m", finalizers=["example.com/hold"]))
    delete(world)
    world.settle(5)
    told = conditions(world)
    message = "Some resources are remaining: configmaps. has 1 resource instances"
    assert told["NamespaceContentRemaining"] == ("True", "SomeResourcesRemain", message)
    message = "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    assert told["NamespaceFinalizersRemaining"] == ("True", "SomeFinalizersRemain", message)
    assert told["NamespaceDeletionContentFailure"][0] == "False"


def test_every_namespace_has_an_account_and_a_certificate() -> None:
    world = World("serviceaccount,root-ca-cert-publisher")
    world.settle()
    a_namespace(world)
    for namespace in ("default", "kube-system", "ns"):
        assert world.store.find("ServiceAccount", namespace, "default") is not None
        assert "ca.crt" in world.store.get("ConfigMap", namespace, "kube-root-ca.crt").manifest["data"]
    world.client.delete(world.store.get("ServiceAccount", "ns", "default"))
    changed = world.store.get("ConfigMap", "ns", "kube-root-ca.crt")
    world.client.update(changed, {**changed.render(), "data": {}})
    world.settle()
    assert world.store.find("ServiceAccount", "ns", "default") is not None
    assert "ca.crt" in world.store.get("ConfigMap", "ns", "kube-root-ca.crt").manifest["data"]
