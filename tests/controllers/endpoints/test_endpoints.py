from __future__ import annotations

from typing import Any

from tests.controllers.worlds import World, a_pod
from wavetank.cluster.objects.resource import Resource

SLICE = "EndpointSlice.discovery.k8s.io"


def a_service(world: World, **spec: Any) -> None:
    given = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}], **spec}
    metadata = {"name": "s", "namespace": "default", "labels": {"of": "team"}}
    world.create({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": given})


def an_address(world: World, name: str, number: int, ready: bool = True) -> None:
    """Makes a pod that a kubelet has given an address."""
    if world.store.find("Pod", "default", name) is None:
        world.create(a_pod(name, app="web"))
    pod = world.get("Pod", name).copy()
    pod.phase, pod.started = ("Running", 0) if ready else ("Pending", None)
    ip = f"10.0.0.{number}"
    condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": "2030-01-01T00:00:00Z"}
    status = {"phase": pod.phase, "podIP": ip, "podIPs": [{"ip": ip}], "conditions": [condition]}
    pod.manifest = {**pod.manifest, "status": status}
    world.store.update(pod)
    world.settle()


def slices(world: World) -> list[Resource]:
    return [each for each in world.store.list(SLICE) if each.labels.get("kubernetes.io/service-name") == "s"]


def addresses(world: World) -> dict[str, bool]:
    endpoints = [endpoint for each in slices(world) for endpoint in each.manifest.get("endpoints") or ()]
    return {endpoint["addresses"][0]: endpoint["conditions"]["ready"] for endpoint in endpoints}


def test_a_service_without_pods_has_an_empty_slice() -> None:
    world = World("endpointslice,endpoint")
    a_service(world)
    (found,) = slices(world)
    assert found.name.startswith("s-")
    assert not found.manifest.get("endpoints")
    assert found.labels["of"] == "team"
    assert found.labels["endpointslice.kubernetes.io/managed-by"] == "endpointslice-controller.k8s.io"
    assert not world.get("Endpoints", "s").manifest.get("subsets")


def test_pods_of_a_service_are_in_its_slice_as_they_come_and_go() -> None:
    world = World("endpointslice,endpoint")
    a_service(world)
    an_address(world, "one", 1)
    an_address(world, "two", 2, ready=False)
    assert addresses(world) == {"10.0.0.1": True, "10.0.0.2": False}
    (found,) = slices(world)
    assert found.manifest["ports"] == [{"name": "", "port": 8080, "protocol": "TCP"}]
    (subset,) = world.get("Endpoints", "s").manifest["subsets"]
    assert [each["ip"] for each in subset["addresses"]] == ["10.0.0.1"]
    assert [each["ip"] for each in subset["notReadyAddresses"]] == ["10.0.0.2"]
    world.store.delete(world.get("Pod", "one"))
    an_address(world, "two", 2)
    assert addresses(world) == {"10.0.0.2": True}
    world.store.delete(world.get("Pod", "two"))
    world.settle()
    assert addresses(world) == {}
    assert len(slices(world)) == 1


def test_a_slice_holds_a_hundred_addresses() -> None:
    world = World("endpointslice")
    a_service(world)
    for number in range(103):
        an_address(world, f"p{number}", number)
    assert sorted(len(each.manifest["endpoints"]) for each in slices(world)) == [3, 100]
    world.store.delete(world.get("Pod", "p7"))
    world.settle()
    assert sorted(len(each.manifest["endpoints"]) for each in slices(world)) == [3, 99]


def test_a_slice_that_somebody_deletes_is_made_again() -> None:
    world = World("endpointslice")
    a_service(world)
    an_address(world, "one", 1)
    (found,) = slices(world)
    world.client.delete(found)
    world.settle()
    assert addresses(world) == {"10.0.0.1": True}


def test_the_end_of_a_service_is_that_of_its_endpoints() -> None:
    world = World("endpointslice,endpoint,garbagecollector")
    a_service(world)
    an_address(world, "one", 1)
    world.client.delete(world.get("Service", "s"))
    world.settle()
    assert slices(world) == []
    assert world.store.find("Endpoints", "default", "s") is None


def test_a_headless_service_knows_its_pods_by_name() -> None:
    world = World("endpointslice")
    a_service(world, clusterIP="None")
    pod = a_pod("one", app="web")
    pod["spec"] |= {"hostname": "h", "subdomain": "s"}
    world.create(pod)
    an_address(world, "one", 1)
    (found,) = slices(world)
    assert found.labels["service.kubernetes.io/headless"] == ""
    assert found.manifest["endpoints"][0]["hostname"] == "h"
