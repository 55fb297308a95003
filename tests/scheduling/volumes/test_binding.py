"""Pods with claims on their way to a node, in time."""

from __future__ import annotations

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume
from tests.support.clusters import VERSION
from tests.support.objects import a_node
from wavetank.cluster.context import ActorContext
from wavetank.cluster.store.store import Store
from wavetank.controllers.volumes.attaching import attach_volume_controllers
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition


class World:
    """A cluster with a scheduler, and controllers of volumes unless they are absent."""

    def __init__(self, *objects, controllers=True):
        self.clock = Clock()
        self.store = Store(self.clock)
        for item in (a_class("local"), a_class("dyn", "csi.example.com"), *objects):
            self.store.create(item)
        if controllers:
            attach_volume_controllers(self.store)
        definition = SchedulerDefinition("default", "", default_configuration(VERSION))
        self.scheduler = definition.attach(ActorContext(self.store, Streams(0), VERSION))

    def submit(self, *pods):
        for pod in pods:
            self.store.create(pod)

    def pod(self, name):
        return self.store.get("Pod", "default", name)


def test_a_pod_waits_a_second_for_its_volume():
    world = World(a_node("n"), a_volume("v"), a_claim("c"))
    world.submit(a_claiming_pod("p", "c"))
    world.clock.run(SECOND - 1)
    assert world.pod("p").node_name == ""
    world.clock.run(SECOND)
    assert world.pod("p").node_name == "n"
    assert world.store.get("PersistentVolumeClaim", "default", "c").volume_name == "v"


def test_a_pod_whose_claims_are_bound_waits_for_nothing():
    world = World(a_node("n"), a_volume("v", phase="Bound"), a_claim("c", bound_to="v"))
    world.submit(a_claiming_pod("p", "c"))
    world.clock.run(0)
    assert world.pod("p").node_name == "n"


def test_others_are_scheduled_meanwhile_against_what_is_assumed():
    world = World(a_node("n"), a_volume("v"), a_claim("c"), a_claim("d"))
    world.submit(a_claiming_pod("first", "c"), a_claiming_pod("second", "d"), a_claiming_pod("third"))
    world.clock.run(0)
    assert world.pod("third").node_name == "n"
    assert "didn't find available persistent volumes" in world.pod("second").unschedulable


def test_a_new_volume_wakes_the_pod_that_lacks_one():
    world = World(a_node("n"), a_claim("c"))
    world.submit(a_claiming_pod("p", "c"))
    world.clock.run(5 * SECOND)
    world.store.create(a_volume("v"))
    world.clock.run(7 * SECOND)
    assert world.pod("p").node_name == "n"


def test_a_volume_is_made_where_the_pod_goes():
    world = World(a_node("n"), a_claim("c", storage_class="dyn"))
    world.submit(a_claiming_pod("p", "c"))
    world.clock.run(SECOND)
    assert world.pod("p").node_name == "n"
    assert world.store.get("PersistentVolumeClaim", "default", "c").volume_name == "pvc-uid-c"


def test_without_a_provisioner_the_scheduler_gives_up_in_the_end():
    world = World(a_node("n"), a_claim("c", storage_class="dyn"), controllers=False)
    world.submit(a_claiming_pod("p", "c"))
    world.clock.run(600 * SECOND)
    assert world.pod("p").unschedulable == (
        'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
    )
    selected = world.store.get("PersistentVolumeClaim", "default", "c").selected_node
    assert selected == "n"  # nothing is rolled back


def test_a_pod_deleted_on_its_way_holds_nothing():
    world = World(a_node("n"), a_volume("v"), a_claim("c"), controllers=False)
    world.submit(a_claiming_pod("p", "c"))
    world.clock.run(0)
    world.store.delete(world.pod("p"))
    world.clock.run(2 * SECOND)
    assert world.scheduler.table.pod_count.sum() == 0
