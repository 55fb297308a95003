from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.living import GONE, World, a_run, latency


@pytest.mark.parametrize(
    ("grace_s", "needs", "gone"),
    [
        pytest.param(30, 0, 5, id="containers that stop at once"),
        pytest.param(30, 7, 12, id="containers that need their time"),
        pytest.param(30, 60, 35, id="but no more than the grace period"),
        pytest.param(4, 60, 9, id="of the pod"),
    ],
)
def test_a_deleted_pod_stops_within_its_grace_period(grace_s: int, needs: float, gone: float) -> None:
    world = World()
    world.node()
    world.started(run=a_run(None, termination=needs), terminationGracePeriodSeconds=grace_s)
    world.at(5, world.evict)
    world.run()
    assert world.of() == [(0, "Running"), (gone, GONE)]


def test_a_pod_that_is_being_deleted_neither_ends_nor_restarts() -> None:
    world = World()
    world.node()
    world.started(run=a_run(8, termination=20), restartPolicy="Always")
    world.at(5, world.evict)
    world.run()
    assert world.of() == [(0, "Running"), (25, GONE)]


def test_a_pod_that_is_being_deleted_holds_its_room_until_it_is_gone() -> None:
    world = World()
    world.node(allocatable={"cpu": "1"})
    world.started("a", a_run(None, termination=20), requests={"cpu": "1"})
    world.at(5, lambda: world.evict("a"))
    world.at(24, lambda: world.started("b", requests={"cpu": "1"}))
    world.at(26, lambda: world.started("c", requests={"cpu": "1"}))
    world.run()
    assert (world.get("b").reason, world.get("c").phase) == ("OutOfcpu", "Running")


SLOW = latency(sync=10, start=10, bandwidth=10, image_bytes=100)


def waiting(world: World) -> None:
    world.node()
    world.pod(run=a_run(100))


def bound(world: World) -> None:
    waiting(world)
    world.bind()


def nodeless(world: World) -> None:
    world.pod(run=a_run(100), nodeName="n")


def crashing(world: World) -> None:
    world.node()
    world.started(run=a_run(0, 1), restartPolicy="Always")


STATES = [
    pytest.param(waiting, 5, id="unbound"),
    pytest.param(bound, 5, id="bound, not begun"),
    pytest.param(bound, 15, id="pulling"),
    pytest.param(bound, 25, id="starting"),
    pytest.param(bound, 50, id="running"),
    pytest.param(crashing, 50, id="waiting in its back-off"),
    pytest.param(nodeless, 5, id="on a node that is not there"),
]


@pytest.mark.parametrize("how", ["evicted", "deleted at once"])
@pytest.mark.parametrize(("prepare", "at"), STATES)
def test_a_pod_can_be_deleted_in_every_state(prepare: Callable[[World], None], at: float, how: str) -> None:
    world = World(SLOW)
    prepare(world)
    world.at(at, world.evict if how == "evicted" else lambda: world.store.delete(world.get()))
    world.at(at + 1, lambda: world.pod("a", a_run(1)))
    world.run(until=1000)
    assert world.of()[-1] == (at, GONE)
    assert world.get().phase == "Pending"  # nothing happens to its successor


def test_a_finished_pod_can_be_deleted() -> None:
    world = World()
    world.node()
    world.started(run=a_run(5))
    world.at(10, world.evict)
    world.run()
    assert world.of() == [(0, "Running"), (5, "Succeeded"), (10, GONE)]


def test_a_deleted_pods_room_is_free_whatever_its_state() -> None:
    world = World(SLOW)
    world.node(allocatable={"cpu": "1"})
    for number, until in enumerate((5, 15, 25, 60)):
        world.started(f"p{number}", a_run(100), requests={"cpu": "1"})
        world.run(until=world.now + until)
        world.evict(f"p{number}")
    world.started("last", a_run(1), requests={"cpu": "1"})
    world.run()
    assert world.get("last").phase == "Succeeded"


def test_a_second_deletion_with_no_grace_removes_the_pod_at_once() -> None:
    world = World()
    world.node()
    world.started(run=a_run(None, termination=20))
    world.at(5, world.evict)
    world.at(8, lambda: world.evict(grace_s=0))
    world.run()
    assert world.of() == [(0, "Running"), (8, GONE)]


def test_a_pod_that_is_being_deleted_goes_with_its_node() -> None:
    world = World()
    world.node()
    world.started(run=a_run(None, termination=20))
    world.at(5, world.evict)
    world.at(8, lambda: world.store.delete(world.the_node()))
    world.run()
    assert world.of() == [(0, "Running"), (8, GONE)]


def test_a_pod_that_is_bound_and_deleted_in_one_instant_is_gone_at_once() -> None:
    world = World(SLOW)
    waiting(world)

    def bind_and_evict() -> None:
        world.bind()
        world.evict()

    world.at(5, bind_and_evict)
    world.run(until=1000)
    assert world.of() == [(5, GONE)]
