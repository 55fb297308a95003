"""The built-in Kueue in a served cluster, whose objects go through the API."""

from __future__ import annotations

from typing import Any

from tests.controllers.clusters import ControllerCluster
from tests.support.kueue import a_cluster_queue, a_flavor, a_job, a_local_queue, a_priority_class
from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.groupkinds import CLUSTER_QUEUE, JOB, LOCAL_QUEUE, WORKLOAD
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


def test_a_served_cluster_with_queues_serves_the_kinds_of_kueue() -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "8"}}}
    objects = [node, a_flavor("x"), a_cluster_queue("q", {"x": {"cpu": 4}}), a_local_queue("q", "q")]
    setting = ServedSetting(Cluster(objects), controllers=all_names(), start=0)
    served = ServedCluster(setting, lambda token: None)
    served.api.actor(User()).create(a_queued_job("j", 2))
    served.clock.run(2 * SECOND)
    [workload] = served.store.list(WORKLOAD)
    assert workload.manifest["status"]["admission"]["clusterQueue"] == "q"
