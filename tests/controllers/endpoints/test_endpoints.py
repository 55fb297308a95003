from __future__ import annotations

from typing import Any

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import pod_manifest
from wavetank.cluster.objects.resource import Resource

SLICE = "EndpointSlice.discovery.k8s.io"


def a_service(cluster: ControllerCluster, **spec: Any) -> None:
    given = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}], **spec}
    metadata = {"name": "s", "namespace": "default", "labels": {"of": "team"}}
    cluster.create({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": given})


def an_address(cluster: ControllerCluster, name: str, number: int, ready: bool = True) -> None:
    """Makes a pod that a kubelet has given an address."""
    if cluster.store.find("Pod", "default", name) is None:
        cluster.create(pod_manifest(name, labels={"app": "web"}))
    pod = cluster.get("Pod", name).copy()
    pod.phase, pod.started = ("Running", 0) if ready else ("Pending", None)
    ip = f"10.0.0.{number}"
    condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": "2030-01-01T00:00:00Z"}
    status = {"phase": pod.phase, "podIP": ip, "podIPs": [{"ip": ip}], "conditions": [condition]}
    pod.manifest = {**pod.manifest, "status": status}
    cluster.store.update(pod)
    cluster.run()


def slices(cluster: ControllerCluster) -> list[Resource]:
    return [each for each in cluster.store.list(SLICE) if each.labels.get("kubernetes.io/service-name") == "s"]


def addresses(cluster: ControllerCluster) -> dict[str, bool]:
    endpoints = [endpoint for each in slices(cluster) for endpoint in each.manifest.get("endpoints") or ()]
    return {endpoint["addresses"][0]: endpoint["conditions"]["ready"] for endpoint in endpoints}


def test_a_service_without_pods_has_an_empty_slice() -> None:
    cluster = ControllerCluster("endpointslice,endpoint")
    a_service(cluster)
    (found,) = slices(cluster)
    assert found.name.startswith("s-")
    assert not found.manifest.get("endpoints")
    assert found.labels["of"] == "team"
    assert found.labels["endpointslice.kubernetes.io/managed-by"] == "endpointslice-controller.k8s.io"
    assert not cluster.get("Endpoints", "s").manifest.get("subsets")


def test_pods_of_a_service_are_in_its_slice_as_they_come_and_go() -> None:
    cluster = ControllerCluster("endpointslice,endpoint")
    a_service(cluster)
    an_address(cluster, "one", 1)
    an_address(cluster, "two", 2, ready=False)
    assert addresses(cluster) == {"10.0.0.1": True, "10.0.0.2": False}
    (found,) = slices(cluster)
    assert found.manifest["ports"] == [{"name": "", "port": 8080, "protocol": "TCP"}]
    (subset,) = cluster.get("Endpoints", "s").manifest["subsets"]
    assert [each["ip"] for each in subset["addresses"]] == ["10.0.0.1"]
    assert [each["ip"] for each in subset["notReadyAddresses"]] == ["10.0.0.2"]
    cluster.store.delete(cluster.get("Pod", "one"))
    an_address(cluster, "two", 2)
    assert addresses(cluster) == {"10.0.0.2": True}
    cluster.store.delete(cluster.get("Pod", "two"))
    cluster.run()
    assert addresses(cluster) == {}
    assert len(slices(cluster)) == 1


def test_a_slice_holds_a_hundred_addresses() -> None:
    cluster = ControllerCluster("endpointslice")
    a_service(cluster)
    for number in range(103):
        an_address(cluster, f"p{number}", number)
    assert sorted(len(each.manifest["endpoints"]) for each in slices(cluster)) == [3, 100]
    cluster.store.delete(cluster.get("Pod", "p7"))
    cluster.run()
    assert sorted(len(each.manifest["endpoints"]) for each in slices(cluster)) == [3, 99]


def test_a_deleted_slice_is_made_again() -> None:
    cluster = ControllerCluster("endpointslice")
    a_service(cluster)
    an_address(cluster, "one", 1)
    (found,) = slices(cluster)
    cluster.client.delete(found)
    cluster.run()
    assert addresses(cluster) == {"10.0.0.1": True}


def test_the_end_of_a_service_is_that_of_its_endpoints() -> None:
    cluster = ControllerCluster("endpointslice,endpoint,garbagecollector")
    a_service(cluster)
    an_address(cluster, "one", 1)
    cluster.client.delete(cluster.get("Service", "s"))
    cluster.run()
    assert slices(cluster) == []
    assert cluster.store.find("Endpoints", "default", "s") is None


def test_a_headless_service_knows_its_pods_by_name() -> None:
    cluster = ControllerCluster("endpointslice")
    a_service(cluster, clusterIP="None")
    pod = pod_manifest("one", labels={"app": "web"})
    pod["spec"] |= {"hostname": "h", "subdomain": "s"}
    cluster.create(pod)
    an_address(cluster, "one", 1)
    (found,) = slices(cluster)
    assert found.labels["service.kubernetes.io/headless"] == ""
    assert found.manifest["endpoints"][0]["hostname"] == "h"


def test_endpoints_of_a_service_without_selector_are_mirrored() -> None:
    cluster = ControllerCluster("endpointslicemirroring")
    a_service(cluster, selector=None)
    ports = [{"name": "p", "port": 80, "protocol": "TCP"}]
    subset = {"addresses": [{"ip": "10.1.2.3"}, {"ip": "2001:db8::1"}], "ports": ports}
    metadata = {"name": "s", "namespace": "default"}
    cluster.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": [subset]})
    four, six = sorted(slices(cluster), key=lambda each: str(each.manifest["addressType"]))
    assert (four.manifest["addressType"], six.manifest["addressType"]) == ("IPv4", "IPv6")
    assert four.manifest["endpoints"] == [{"addresses": ["10.1.2.3"], "conditions": {"ready": True}}]
    assert four.labels["endpointslice.kubernetes.io/managed-by"] == "endpointslicemirroring-controller.k8s.io"
    changed = cluster.get("Endpoints", "s").copy()
    changed.manifest = {**changed.manifest, "subsets": [{"addresses": [{"ip": "10.1.2.4"}], "ports": ports}]}
    cluster.store.update(changed)
    cluster.run()
    assert addresses(cluster) == {"10.1.2.4": True}
    cluster.store.delete(cluster.get("Endpoints", "s"))
    cluster.run()
    assert slices(cluster) == []
