"""Runs whose clock stands still while actors undo each other's work: they end, and name the actors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.experiments import simulate
from tests.simulation.preemptions import a_preemption
from tests.support.objects import a_pod
from wavetank.cluster.objects.groupkinds import POD
from wavetank.errors import StandstillError
from wavetank.kernel import clock as clocks
from wavetank.simulation import standstill
from wavetank.simulation.world import World


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a run end after fewer events."""
    for module in (clocks, standstill):
        monkeypatch.setattr(module, "BLOCK", 100)
    monkeypatch.setattr(standstill, "MOST_EVENTS", 10_000)
    monkeypatch.setattr(standstill, "MOST_CREATIONS", 50)
    monkeypatch.setattr(standstill, "MOST_REPLACEMENTS", 50)


def test_a_clock_that_stands_still_for_too_many_events_ends_the_run() -> None:
    world = World((1, 36))

    def again() -> None:
        world.clock.soon(again)

    world.clock.at(5, again)
    with pytest.raises(StandstillError, match=r"stands still at 0\.000000005 s: 10,000 events"):
        world.run()


def test_many_events_at_different_instants_do_not_end_it() -> None:
    world = World((1, 36))
    left = [30_000]

    def again() -> None:
        left[0] -= 1
        if left[0]:
            world.clock.after(left[0] % 50 == 0, again)

    world.clock.at(0, again)
    world.run()
    assert world.clock.now == 30_000 // 50 - 1


def test_pods_of_different_names_at_one_instant_do_not_end_it() -> None:
    world = World((1, 36))
    for i in range(3000):
        world.clock.at(0, lambda i=i: world.store.create(a_pod(f"p{i}")))  # type: ignore[misc]
    world.run()
    assert len(world.store.objects(POD)) == 3000


def test_a_pod_that_is_created_again_and_again_at_one_instant_is_named() -> None:
    world = World((1, 36))

    def again() -> None:
        world.store.create(a_pod("p"))
        world.store.delete(world.store.get(POD, "default", "p"))
        world.clock.soon(again)

    world.clock.at(0, again)
    with pytest.raises(StandstillError, match=r"Pod default/p was created \d+ times"):
        world.run()


@pytest.mark.parametrize("version", ["1.33", "1.36"])
def test_a_pod_takes_its_place_as_soon_as_its_victim_is_gone_before_the_victim_is_replaced(
    tmp_path: Path, version: str
) -> None:
    rows = simulate(a_preemption(tmp_path, version, replicas=1)).rows
    assert [(row.name, row.phase) for row in rows] == [("web-0", "Failed"), ("vip", "Running"), ("web-0", "Pending")]


@pytest.mark.parametrize("version", ["1.35", "1.36"])
def test_a_preemption_that_never_settles_ends_the_run_and_names_who_preempts_whom(tmp_path: Path, version: str) -> None:
    """kube-scheduler does the same: docs/fidelity.md."""
    named = (
        r"Pod default/vip preempted StatefulSet default/web \d+ times.*scheduling\.scheduler.*controllers\.statefulsets"
    )
    with pytest.raises(StandstillError, match=named):
        simulate(a_preemption(tmp_path, version, replicas=2, horizon="1h"))


@pytest.mark.parametrize("version", ["1.29", "1.32"])
def test_releases_that_wait_for_the_backoff_go_on(tmp_path: Path, version: str) -> None:
    simulate(a_preemption(tmp_path, version, replicas=2))
