"""Random lives of workloads end in the same objects with the built-in controllers and with the real ones."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from tests.controllers.real.clusters import WORKLOADS, built_in, managed
from tests.controllers.real.histories import APPS, BATCH, Author, Step, play
from tests.controllers.real.objects import objects_of

LIVES = ("deployment", "replication_controller", "stateful_set", "daemon_set", "job", "strict_job", "cron_job")
SEEDS = range(60) if os.environ.get("WAVETANK_ALL") else range(1)


REMOVED = {
    "deployment": f"{APPS}/deployments/web",
    "replication_controller": "/api/v1/namespaces/default/replicationcontrollers/web",
    "stateful_set": f"{APPS}/statefulsets/db",
    "job": f"{BATCH}/jobs/j",
}


@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_life_ends_in_the_same_objects(life: str, seed: int) -> None:
    history: list[Step] = getattr(Author(seed), life)()
    wanted, found = both(history, WORKLOADS)
    assert any(wanted.values())
    assert found == wanted, [step.told for step in history]


@pytest.mark.parametrize("life", REMOVED)
@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
@pytest.mark.parametrize("seed", SEEDS[:6])
def test_what_is_left_of_it_is_the_same(life: str, policy: str, seed: int) -> None:
    options, path = {"propagationPolicy": policy}, REMOVED[life]
    history: list[Step] = getattr(Author(seed), life)()
    history.append(Step(45.5, f"delete it, {policy}", lambda cluster: cluster.ask("DELETE", path, options)))
    wanted, found = both(history, (*WORKLOADS, "garbage-collector-controller"))
    assert found == wanted, [step.told for step in history]


def both(history: list[Step], controllers: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Lets a history happen with the real controllers and with ours; returns what there is in the end."""
    with managed(controllers) as real:
        play(history, real)
        wanted = objects_of(real)
    with built_in(controllers) as ours:
        play(history, ours)
        found = objects_of(ours)
    return wanted, found
