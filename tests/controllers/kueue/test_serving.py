"""The built-in Kueue in a served cluster, whose objects go through the API."""

from __future__ import annotations

from typing import Any

from tests.controllers.clusters import ControllerCluster
from tests.controllers.kueue.placed import HOSTNAME, a_topology
from tests.support.kueue import QUEUE, a_cluster_queue, a_flavor, a_job, a_local_queue, a_priority_class
from tests.support.objects import node_manifest
from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.groupkinds import CLUSTER_QUEUE, JOB, LOCAL_QUEUE, POD, WORKLOAD
from wavetank.cluster.objects.kueue import TOPOLOGY_GATE
from wavetank.controllers.descriptors import all_names
from wavetank.controllers.kueue.definitions import definitions
from wavetank.kernel.durations import SECOND
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.workloads.cluster import Cluster


def a_cluster() -> ControllerCluster:
    """Returns a served cluster with a queue of 4 CPUs."""
    cluster = ControllerCluster()
    for document in definitions():
        cluster.create(document)
    for document in (a_flavor("x"), a_cluster_queue("q", {"x": {"cpu": 4}}), a_local_queue("q", "q")):
        cluster.create(document)
    cluster.create(a_priority_class("low", 0))
    return cluster


def a_queued_job(name: str, cpu: int) -> dict[str, Any]:
    job = a_job(name, "q", requests={"cpu": str(cpu)}, priority="low")
    del job["spec"]["suspend"]  # which Kueue sets
    return job


def conditions(cluster: ControllerCluster) -> dict[str, dict[str, tuple[str, str]]]:
    """Returns by owner the status and reason of each condition of its Workload."""
    found = {}
    for workload in cluster.store.list(WORKLOAD):
        owner = workload.manifest["metadata"]["ownerReferences"][0]["name"]
        status = workload.manifest.get("status") or {}
        found[owner] = {each["type"]: (each["status"], each["reason"]) for each in status.get("conditions") or ()}
    return found


def test_a_job_starts_when_it_is_admitted_and_another_waits() -> None:
    cluster = a_cluster()
    cluster.create(a_queued_job("first", 3))
    cluster.create(a_queued_job("second", 3))
    assert [cluster.get(JOB, name).manifest["spec"]["suspend"] for name in ("first", "second")] == [False, True]
    assert conditions(cluster)["first"]["Admitted"] == ("True", "Admitted")
    assert conditions(cluster)["second"]["QuotaReserved"] == ("False", "Pending")
    [pending] = [each for each in cluster.store.list(WORKLOAD) if each.name.startswith("job-second")]
    message = pending.manifest["status"]["conditions"][0]["message"]
    assert message == (
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor x, 2 more needed"
    )


def test_a_job_that_asks_for_a_topology_says_that_its_flavor_has_none() -> None:
    cluster = a_cluster()
    job = a_queued_job("near", 3)
    annotations = {"kueue.x-k8s.io/podset-required-topology": "rack"}
    job["spec"]["template"]["metadata"] = {"annotations": annotations}
    cluster.create(job)
    [workload] = cluster.store.list(WORKLOAD)
    assert workload.manifest["spec"]["podSets"][0]["topologyRequest"]["required"] == "rack"
    assert workload.manifest["status"]["conditions"][0]["message"] == (
        'couldn\'t assign flavors to pod set main: Flavor "x" does not support TopologyAwareScheduling'
    )


def test_pods_of_a_placed_job_wait_for_their_domain_and_another_job_says_why_it_has_none() -> None:
    cluster = a_cluster()
    flavor = a_flavor("t", nodeLabels={"pool": "t"}, topologyName="hosts")
    nodes = [node_manifest(f"n{i}", cpu="2", labels={"pool": "t"}) for i in range(2)]
    queues = [a_cluster_queue("t", {"t": {"cpu": 9}}), a_local_queue("t", "t")]
    for document in (*nodes, a_topology("hosts", [HOSTNAME]), flavor, *queues):
        cluster.create(document)
    jobs = [a_job(name, "t", requests={"cpu": "1"}, pods=3, priority="low") for name in ("first", "second")]
    for each in jobs:
        cluster.create(each)
    assert [pod.gates for pod in cluster.store.list(POD)] == [(TOPOLOGY_GATE,)] * 3
    cluster.run(2 * SECOND)
    selectors = [pod.spec.manifest["nodeSelector"] for pod in cluster.store.list(POD)]
    assert sorted(each[HOSTNAME] for each in selectors) == ["n0", "n0", "n1"]
    pending = next(each for each in cluster.store.list(WORKLOAD) if each.name.startswith("job-second"))
    assert pending.manifest["status"]["conditions"][0]["message"] == (
        'couldn\'t assign flavors to pod set main: topology "hosts" allows to fit only 1 out of 3 pod(s). '
        'Total nodes: 2; excluded: resource "cpu": 1'
    )


def test_the_status_of_queues_counts_workloads_and_usage() -> None:
    cluster = a_cluster()
    cluster.create(a_queued_job("first", 3))
    cluster.create(a_queued_job("second", 3))
    status = cluster.store.get(CLUSTER_QUEUE, "", "q").manifest["status"]
    assert (status["pendingWorkloads"], status["admittedWorkloads"]) == (1, 1)
    assert status["flavorsUsage"] == [{"name": "x", "resources": [{"name": "cpu", "total": "3", "borrowed": "0"}]}]
    assert cluster.get(LOCAL_QUEUE, "q").manifest["status"]["pendingWorkloads"] == 1


def test_a_finished_job_finishes_its_workload_and_another_is_admitted() -> None:
    cluster = a_cluster()
    cluster.create(a_queued_job("first", 3))
    cluster.create(a_queued_job("second", 3))
    cluster.start()
    cluster.end(cluster.pods()[0], "Succeeded")
    cluster.clock.run(cluster.clock.now + 3 * SECOND)
    assert conditions(cluster)["first"]["Finished"] == ("True", "Succeeded")
    assert conditions(cluster)["second"]["Admitted"] == ("True", "Admitted")


def test_a_queue_that_is_stopped_and_drained_suspends_its_jobs() -> None:
    cluster = a_cluster()
    cluster.create(a_queued_job("first", 3))
    old = cluster.store.get(CLUSTER_QUEUE, "", "q")
    document = old.render()
    document["spec"] = {**document["spec"], "stopPolicy": "HoldAndDrain"}
    cluster.client.update(old, document)
    cluster.run()
    assert conditions(cluster)["first"]["Evicted"] == ("True", "ClusterQueueStopped")
    assert conditions(cluster)["first"]["Requeued"] == ("False", "ClusterQueueStopped")
    assert cluster.get(JOB, "first").manifest["spec"]["suspend"] is True
    old = cluster.store.get(CLUSTER_QUEUE, "", "q")
    document = old.render()
    document["spec"] = {**document["spec"], "stopPolicy": "None"}
    cluster.client.update(old, document)
    cluster.run()
    assert conditions(cluster)["first"]["Admitted"] == ("True", "Admitted")


def test_a_queue_that_is_wrong_is_refused_with_an_event_and_admits_nothing() -> None:
    cluster = a_cluster()
    old = cluster.store.get(CLUSTER_QUEUE, "", "q")
    document = old.render()
    document["spec"] = {**document["spec"], "queueingStrategy": "Fair"}
    cluster.client.update(old, document)
    cluster.create(a_queued_job("first", 3))
    assert "Admitted" not in conditions(cluster)["first"]
    assert ("Warning", "Refused") in [(type_, reason) for type_, reason, _ in cluster.told]


def a_served_cluster() -> ServedCluster:
    """Returns a served cluster with a node and a queue of 4 CPUs."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": ALLOCATABLE}}
    objects = [node, a_flavor("x"), a_cluster_queue("q", {"x": {"cpu": 4}}), a_local_queue("q", "q")]
    setting = ServedSetting(Cluster(objects), controllers=all_names(), start=0)
    return ServedCluster(setting, lambda token: None)


ALLOCATABLE = {"cpu": "8", "pods": "110"}


def test_a_served_cluster_with_queues_serves_the_kinds_of_kueue() -> None:
    served = a_served_cluster()
    served.api.actor(User()).create(a_queued_job("j", 2))
    served.clock.run(2 * SECOND)
    [workload] = served.store.list(WORKLOAD)
    assert workload.manifest["status"]["admission"]["clusterQueue"] == "q"


def a_queued_pod(name: str, cpu: int, **labels: str) -> dict[str, Any]:
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}
    metadata = {"name": name, "namespace": "default", "labels": {QUEUE: "q", **labels}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def test_a_pod_of_a_served_cluster_is_gated_until_there_is_quota() -> None:
    served = a_served_cluster()
    client = served.api.actor(User())
    for name in ("first", "second"):
        client.create(a_queued_pod(name, 3))
        assert served.store.get(POD, "default", name).gates == (GATE,)
        served.clock.run(served.clock.now + 5 * SECOND)
    assert {pod.name: pod.gates for pod in served.store.list(POD)} == {"first": (), "second": (GATE,)}
    first = served.store.get(POD, "default", "first")
    client.delete(first, 0)
    served.clock.run(10 * SECOND)
    assert [pod.gates for pod in served.store.list(POD)] == [()]
    assert [each.name.rpartition("-")[0] for each in served.store.list(WORKLOAD)] == ["pod-second"]


def test_the_pods_of_a_group_are_released_together() -> None:
    served = a_served_cluster()
    client = served.api.actor(User())
    for name in ("a", "b"):
        pod = a_queued_pod(name, 2, **{"kueue.x-k8s.io/pod-group-name": "gang"})
        pod["metadata"]["annotations"] = {"kueue.x-k8s.io/pod-group-total-count": "2"}
        client.create(pod)
        served.clock.run(served.clock.now + 5 * SECOND)
        gates = {each.gates for each in served.store.list(POD)}
        assert gates == {(GATE,) if name == "a" else ()}


GATE = "kueue.x-k8s.io/admission"
