"""Pods with volumes: Volcano asks kube-scheduler's own plugins, and binds the volumes before the pod."""

from tests.scheduling.volcano.clusters import GANG, VolcanoCluster, a_group, a_task
from tests.scheduling.volumes import storage
from tests.support.objects import a_node
from wavetank.controllers.volumes.attaching import attach_volume_controllers


def with_claim(name, claim, group, **more):
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": claim}}
    return a_task(name, group, volumes=[volume], **more)


def a_cluster(*resources):
    cluster = VolcanoCluster(a_node("n1"), a_node("n2"), storage.a_class("local"), *resources, conf=GANG)
    attach_volume_controllers(cluster.store)
    return cluster


def test_a_pod_goes_where_its_volume_can_be_reached_and_the_volume_is_bound_first():
    cluster = a_cluster(storage.a_volume("v", on="n2"), storage.a_claim("c"))
    cluster.submit(a_group("g", 1), with_claim("g-worker-0", "c", "g"))
    cluster.run_until(5)
    assert cluster.nodes_of_pods() == {"g-worker-0": "n2"}
    claim = cluster.store.find("PersistentVolumeClaim", "default", "c")
    assert claim.bound


def test_a_gang_that_is_taken_back_gives_its_volumes_back_as_well():
    cluster = a_cluster(storage.a_volume("v", on="n1"), storage.a_claim("c"), storage.a_claim("d"))
    large = with_claim("a-worker-0", "c", "a"), a_task("a-worker-1", "a", cpu="9")
    cluster.submit(a_group("a", 2), *large)
    cluster.run_until(2)
    assert cluster.nodes_of_pods() == {}
    cluster.submit(a_group("b", 1), with_claim("b-worker-0", "d", "b"), at=3)
    cluster.run_until(9)
    assert cluster.nodes_of_pods() == {"b-worker-0": "n1"}


def test_without_a_volume_the_pod_waits_and_says_why():
    cluster = a_cluster(storage.a_claim("c"))
    cluster.submit(a_group("g", 1), with_claim("g-worker-0", "c", "g"))
    cluster.run_until(3)
    reason = "0/2 nodes are unavailable: 2 node(s) didn't find available persistent volumes to bind."
    assert cluster.pod("g-worker-0").unschedulable == reason
