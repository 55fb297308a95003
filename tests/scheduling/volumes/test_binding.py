"""Pods with claims on their way to a node, in time."""

from __future__ import annotations

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume
from tests.support.clusters import ScheduledCluster
from tests.support.objects import a_node
from wavetank.controllers.volumes.attaching import attach_volume_controllers
from wavetank.kernel.durations import SECOND


class StorageCluster(ScheduledCluster):
    """A cluster with a scheduler, and with the volume controllers unless they are absent."""

    def __init__(self, *objects, controllers=True):
        super().__init__(a_class("local"), a_class("dyn", "csi.example.com"), *objects)
        if controllers:
            attach_volume_controllers(self.store)

    def submit(self, *pods):
        for pod in pods:
            self.create(pod)


def test_a_pod_waits_a_second_for_its_volume():
    cluster = StorageCluster(a_node("n"), a_volume("v"), a_claim("c"))
    cluster.submit(a_claiming_pod("p", "c"))
    cluster.clock.run(SECOND - 1)
    assert cluster.pod("p").node_name == ""
    cluster.clock.run(SECOND)
    assert cluster.pod("p").node_name == "n"
    assert cluster.store.get("PersistentVolumeClaim", "default", "c").volume_name == "v"


def test_a_pod_whose_claims_are_bound_waits_for_nothing():
    cluster = StorageCluster(a_node("n"), a_volume("v", phase="Bound"), a_claim("c", bound_to="v"))
    cluster.submit(a_claiming_pod("p", "c"))
    cluster.clock.run(0)
    assert cluster.pod("p").node_name == "n"


def test_others_are_scheduled_meanwhile_against_what_is_assumed():
    cluster = StorageCluster(a_node("n"), a_volume("v"), a_claim("c"), a_claim("d"))
    cluster.submit(a_claiming_pod("first", "c"), a_claiming_pod("second", "d"), a_claiming_pod("third"))
    cluster.clock.run(0)
    assert cluster.pod("third").node_name == "n"
    assert "didn't find available persistent volumes" in cluster.pod("second").unschedulable


def test_a_new_volume_wakes_the_pod_that_lacks_one():
    cluster = StorageCluster(a_node("n"), a_claim("c"))
    cluster.submit(a_claiming_pod("p", "c"))
    cluster.clock.run(5 * SECOND)
    cluster.store.create(a_volume("v"))
    cluster.clock.run(7 * SECOND)
    assert cluster.pod("p").node_name == "n"


def test_a_volume_is_made_where_the_pod_goes():
    cluster = StorageCluster(a_node("n"), a_claim("c", storage_class="dyn"))
    cluster.submit(a_claiming_pod("p", "c"))
    cluster.clock.run(SECOND)
    assert cluster.pod("p").node_name == "n"
    assert cluster.store.get("PersistentVolumeClaim", "default", "c").volume_name == "pvc-uid-c"


def test_without_a_provisioner_the_scheduler_gives_up_in_the_end():
    cluster = StorageCluster(a_node("n"), a_claim("c", storage_class="dyn"), controllers=False)
    cluster.submit(a_claiming_pod("p", "c"))
    cluster.clock.run(600 * SECOND)
    assert cluster.pod("p").unschedulable == (
        'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
    )
    selected = cluster.store.get("PersistentVolumeClaim", "default", "c").selected_node
    assert selected == "n"  # nothing is rolled back


def test_a_pod_deleted_on_its_way_holds_nothing():
    cluster = StorageCluster(a_node("n"), a_volume("v"), a_claim("c"), controllers=False)
    cluster.submit(a_claiming_pod("p", "c"))
    cluster.clock.run(0)
    cluster.store.delete(cluster.pod("p"))
    cluster.clock.run(2 * SECOND)
    assert cluster.scheduler.table.pod_count.sum() == 0
