"""What cluster-autoscaler (provider clusterapi) asks of an API server is served in a run with node groups.

The list is that of shared/reference/go-builds.md, section 5: requests that were seen in an hour of the real program,
and those of leader election. The program itself is not on Go's module proxy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.machines.definitions import definitions
from wavetank.kernel.clock import Clock
from wavetank.simulation.controllers import run_context
from wavetank.simulation.creation.admission import Admission
from wavetank.simulation.evictions import BudgetedEvictions
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.programs import Loop
from wavetank.simulation.scaling.nodegroups import start_node_groups
from wavetank.simulation.scaling.scalablegroup import ScalableGroup
from wavetank.simulation.world import API_HISTORY, World
from wavetank.workloads.cluster import Cluster

CLUSTER_API = "/apis/cluster.x-k8s.io/v1beta1"
GROUP = f"{CLUSTER_API}/namespaces/default/machinedeployments/pool"
STATUS = "/api/v1/namespaces/kube-system/configmaps"
WATCHED = [
    "/api/v1/namespaces",
    "/api/v1/nodes",
    "/api/v1/pods",
    "/api/v1/persistentvolumes",
    "/api/v1/persistentvolumeclaims",
    "/api/v1/replicationcontrollers",
    "/api/v1/services",
    "/apis/apps/v1/daemonsets",
    "/apis/apps/v1/replicasets",
    "/apis/apps/v1/statefulsets",
    "/apis/batch/v1/jobs",
    "/apis/policy/v1/poddisruptionbudgets",
    "/apis/storage.k8s.io/v1/csidrivers",
    "/apis/storage.k8s.io/v1/csinodes",
    "/apis/storage.k8s.io/v1/csistoragecapacities",
    "/apis/storage.k8s.io/v1/storageclasses",
    "/apis/storage.k8s.io/v1/volumeattachments",
    "/apis/resource.k8s.io/v1/deviceclasses",
    "/apis/resource.k8s.io/v1/resourceclaims",
    "/apis/resource.k8s.io/v1/resourceslices",
    f"{CLUSTER_API}/machinedeployments",
    f"{CLUSTER_API}/machinesets",
    f"{CLUSTER_API}/machines",
]
PENDING = ("fieldSelector", "spec.nodeName=,status.phase!=Failed,status.phase!=Succeeded")
INITIAL = (
    ("watch", "true"),
    ("sendInitialEvents", "true"),
    ("resourceVersionMatch", "NotOlderThan"),
    ("allowWatchBookmarks", "true"),
)


@dataclass
class Server:
    """The API of a run, without programs."""

    loop: Loop
    world: World

    def ask(self, method: str, path: str, body: Any = None, media: str = "application/json") -> tuple[int, Any]:
        """Makes a request; returns the status and the document."""
        sent = b"" if body is None else msgspec.json.encode(body)
        answer = self.loop.api.handle(Request(method, path, headers={"content-type": media}, body=sent))
        assert isinstance(answer, Response)
        return answer.status, msgspec.json.decode(answer.body)

    def found(self, path: str) -> Any:
        status, document = self.ask("GET", path)
        assert status == 200, document
        return document


@pytest.fixture
def server() -> Iterator[Server]:
    world = World((1, 35), 1, Store(Clock(), API_HISTORY))
    loop = Loop(world.context, (), takes_all=True)
    loop.define(definitions())
    admission = Admission(world.store, loop.completer)
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "control"},
        "status": {"capacity": {"cpu": "1", "memory": "1Gi", "pods": "110"}},
    }
    loop.load(Cluster([node]))
    controllers = run_context(world.context, admission, True, ClusterMetrics(world.store, None), {})
    group = ScalableGroup("pool", 0, 5, 2, {"cpu": "4", "memory": "8Gi"})
    start_node_groups(world.context, controllers, [group], BudgetedEvictions(world.store))
    world.run(0)
    yield Server(loop, world)
    loop.close()


def a_pod(server: Server) -> None:
    spec = {"containers": [{"name": "main", "image": "app"}], "nodeName": "pool-001"}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}, "spec": spec}
    server.world.store.create(Pod.parse(manifest, server.world.store.specs))


def test_every_group_that_is_announced_is_discovered(server: Server) -> None:
    server.found("/api")
    server.found("/api/v1")
    groups = {group["name"]: group["versions"] for group in server.found("/apis")["groups"]}
    assert {"apps", "batch", "policy", "storage.k8s.io", "coordination.k8s.io", "cluster.x-k8s.io"} <= set(groups)
    for versions in groups.values():
        for version in versions:
            server.found(f"/apis/{version['groupVersion']}")


def test_machine_kinds_are_listed_with_their_scale(server: Server) -> None:
    listed = {each["name"]: each for each in server.found(CLUSTER_API)["resources"]}
    assert {"machinedeployments", "machinesets", "machines"} <= set(listed)
    for name in ("machinedeployments/scale", "machinesets/scale"):
        scale = listed[name]
        assert (scale["kind"], scale["group"], scale["version"]) == ("Scale", "autoscaling", "v1")


@pytest.mark.parametrize("selector", [pytest.param((), id="all"), pytest.param((PENDING,), id="unscheduled pods")])
def test_watches_begin_with_the_present_objects(server: Server, selector: tuple[tuple[str, str], ...]) -> None:
    for path in ["/api/v1/pods"] if selector else WATCHED:
        answer = server.loop.api.handle(Request("GET", path, (*INITIAL, *selector)))
        assert not isinstance(answer, Response), path
        answer.close()


def test_lists_are_served_too(server: Server) -> None:
    assert [path for path in WATCHED if server.ask("GET", path)[0] != 200] == []
    machines = server.found(f"{CLUSTER_API}/machines")["items"]
    assert [each["metadata"]["name"] for each in machines] == ["pool-001", "pool-002"]
    assert all(each["spec"]["providerID"] and each["status"]["nodeRef"]["name"] for each in machines)


def test_a_group_says_its_limits_and_what_its_nodes_have(server: Server) -> None:
    group = server.found(GROUP)
    annotations = group["metadata"]["annotations"]
    prefix = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-"
    assert (annotations[f"{prefix}min-size"], annotations[f"{prefix}max-size"]) == ("0", "5")
    assert annotations["capacity.cluster-autoscaler.kubernetes.io/cpu"] == "4"
    cluster = group["metadata"]["labels"]["cluster.x-k8s.io/cluster-name"]
    assert group["spec"]["clusterName"] == cluster
    for machine in server.found(f"{CLUSTER_API}/machines")["items"]:
        assert group["spec"]["selector"]["matchLabels"].items() <= machine["metadata"]["labels"].items()
        assert machine["metadata"]["ownerReferences"][0]["kind"] == "MachineSet"
    about = server.found("/api/v1/nodes/pool-001")["metadata"]["annotations"]
    assert about["cluster.x-k8s.io/machine"] == "pool-001"
    assert (about["cluster.x-k8s.io/cluster-namespace"], about["cluster.x-k8s.io/cluster-name"]) == ("default", cluster)


@pytest.mark.parametrize("kind", ["machinedeployments", "machinesets"])
def test_the_scale_of_a_group_is_read_and_patched(server: Server, kind: str) -> None:
    path = f"{CLUSTER_API}/namespaces/default/{kind}/pool/scale"
    assert server.found(path)["spec"]["replicas"] == 2
    status, scale = server.ask("PATCH", path, {"spec": {"replicas": 3}}, "application/merge-patch+json")
    assert (status, scale["kind"], scale["apiVersion"], scale["spec"]["replicas"]) == (
        200,
        "Scale",
        "autoscaling/v1",
        3,
    )
    server.world.run(0)
    machines = len(server.found(f"{CLUSTER_API}/machines")["items"])
    assert machines == (3 if kind == "machinedeployments" else machines)


def test_a_machine_is_marked_and_goes_first(server: Server) -> None:
    path = f"{CLUSTER_API}/namespaces/default/machines/pool-001"
    machine = server.found(path)
    machine["metadata"].setdefault("annotations", {})["cluster.x-k8s.io/delete-machine"] = "now"
    assert server.ask("PUT", path, machine)[0] == 200
    server.ask("PATCH", f"{GROUP}/scale", {"spec": {"replicas": 1}}, "application/merge-patch+json")
    server.world.run(0)
    assert [each["metadata"]["name"] for each in server.found(f"{CLUSTER_API}/machines")["items"]] == ["pool-002"]
    assert server.ask("GET", "/api/v1/nodes/pool-001")[0] == 404


def test_a_node_is_tainted(server: Server) -> None:
    node = server.found("/api/v1/nodes/pool-001")
    assert node["spec"]["providerID"] == server.found(f"{CLUSTER_API}/machines")["items"][0]["spec"]["providerID"]
    assert any(each["type"] == "Ready" and each["lastTransitionTime"] for each in node["status"]["conditions"])
    taint = {"key": "ToBeDeletedByClusterAutoscaler", "value": "1", "effect": "NoSchedule"}
    node["spec"] = {**node["spec"], "taints": [taint], "unschedulable": True}
    status, updated = server.ask("PUT", "/api/v1/nodes/pool-001", node)
    assert status == 200
    assert taint in updated["spec"]["taints"]


def test_a_pod_is_evicted_and_looked_up(server: Server) -> None:
    a_pod(server)
    assert server.ask("GET", "/api/v1/namespaces/default/pods/p")[0] == 200
    eviction = {
        "apiVersion": "policy/v1beta1",
        "kind": "Eviction",
        "metadata": {"name": "p", "namespace": "default"},
        "deleteOptions": {"gracePeriodSeconds": 30},
    }
    assert server.ask("POST", "/api/v1/namespaces/default/pods/p/eviction", eviction)[0] == 201
    server.world.run(60 * 10**9)
    assert server.ask("GET", "/api/v1/namespaces/default/pods/p")[0] in (200, 404)


def test_the_status_is_kept_in_a_config_map(server: Server) -> None:
    name = "cluster-autoscaler-status"
    assert server.ask("GET", f"{STATUS}/{name}")[0] == 404
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"status": "a"}}
    status, made = server.ask("POST", STATUS, document)
    assert status == 201, made
    status, changed = server.ask("PUT", f"{STATUS}/{name}", {**made, "data": {"status": "b"}})
    assert (status, changed["data"]["status"]) == (200, "b")


def test_events_are_written_and_counted(server: Server) -> None:
    about = {"apiVersion": "v1", "kind": "Pod", "name": "p", "namespace": "default"}
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "p.1", "namespace": "default"},
        "involvedObject": about,
        "reason": "TriggeredScaleUp",
        "count": 1,
    }
    events = "/api/v1/namespaces/default/events"
    assert server.ask("POST", events, event)[0] == 201
    media = "application/strategic-merge-patch+json"
    status, counted = server.ask("PATCH", f"{events}/p.1", {"count": 2}, media)
    assert (status, counted["count"]) == (200, 2)


def test_leases_serve_for_leader_election(server: Server) -> None:
    leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "cluster-autoscaler"},
        "spec": {"holderIdentity": "one", "leaseDurationSeconds": 15},
    }
    assert server.ask("GET", f"{leases}/cluster-autoscaler")[0] == 404
    status, made = server.ask("POST", leases, lease)
    assert status == 201, made
    made["spec"]["holderIdentity"] = "two"
    assert server.ask("PUT", f"{leases}/cluster-autoscaler", made)[0] == 200
