"""Runs whose clock stands still while actors undo each other's work: they end, and name the actors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.simulation.experiments import simulate
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


def _container() -> dict[str, Any]:
    return {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}


def a_livelock(folder: Path, version: str, horizon: str) -> dict[str, Any]:
    """A pod that keeps a whole zone free of the pods of a StatefulSet, which evade it to the zone's other node."""
    labels = {"app": "web"}
    stateful = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web"},
        "spec": {
            "serviceName": "web",
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [_container()]}},
        },
    }
    apart = [{"labelSelector": {"matchLabels": labels}, "topologyKey": "zone"}]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "vip", "annotations": {"wavetank.dev/arrival": "10s"}},
        "spec": {
            "priority": 1000,
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}},
            "containers": [_container()],
        },
    }
    workload = folder / "workload.yaml"
    workload.write_text(yaml.safe_dump_all([stateful, pod]))
    return {
        "kubernetesVersion": version,
        "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi", "labels": {"zone": "a"}}]},
        "workload": {"file": str(workload)},
        "schedulers": [{"name": "TTP"}],
        "horizon": horizon,
    }


@pytest.mark.parametrize("version", ["1.33", "1.36"])
def test_a_preemption_that_never_settles_ends_the_run_and_names_who_acts(tmp_path: Path, version: str) -> None:
    with pytest.raises(StandstillError, match=r"Pod default/web-0 .*scheduling\.scheduler.*controllers\.statefulsets"):
        simulate(a_livelock(tmp_path, version, "1h"))


@pytest.mark.parametrize("version", ["1.29", "1.32"])
def test_releases_that_wait_for_the_backoff_go_on(tmp_path: Path, version: str) -> None:
    simulate(a_livelock(tmp_path, version, "2m"))
