"""Random lives of workloads end in the same objects with the built-in controllers and with the real ones."""

from __future__ import annotations

import os

import pytest

from controllers.real.clusters import built_in, managed
from controllers.real.histories import Author, Step, play
from controllers.real.objects import objects_of

LIVES = ("deployment", "stateful_set", "daemon_set", "job", "strict_job", "cron_job")
SEEDS = range(60) if os.environ.get("WAVETANK_ALL") else range(2)


@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_life_ends_in_the_same_objects(life: str, seed: int) -> None:
    history: list[Step] = getattr(Author(seed), life)()
    with managed() as real:
        play(history, real)
        wanted = objects_of(real)
    with built_in() as ours:
        play(history, ours)
        found = objects_of(ours)
    assert any(wanted.values())
    assert found == wanted, [step.told for step in history]
