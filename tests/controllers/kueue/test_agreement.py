"""The built-in Kueue decides as the real one does, in lockstep on the same random queues and Jobs."""

from __future__ import annotations

import os

import pytest

from tests.controllers.kueue.scenarios import random_run
from tests.support.kueue import find_kueue
from wavetank.kernel.durations import SECOND
from wavetank.testing.queues import QueueHistory

SEEDS = range(200) if os.environ.get("WAVETANK_ALL") else (0, 1, 3)
TOLERANCE_S = 1.0  # of instants, for the pauses of Kueue's loop depend on the order of its goroutines

Decision = tuple[str, str, tuple[tuple[str, str, str], ...], str]


def by_workload(history: QueueHistory) -> dict[str, list[Decision]]:
    """Returns the decisions on each workload, in their order."""
    found: dict[str, list[Decision]] = {}
    for each in history.decisions:
        found.setdefault(each.workload, []).append((each.what, each.queue, each.flavors, each.reason))
    return found


def instants(history: QueueHistory) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for each in history.decisions:
        found.setdefault(each.workload, []).append(each.at / SECOND)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_both_decide_the_same(seed: int) -> None:
    find_kueue()
    scenario = random_run(seed)
    builtin, real = scenario.run_builtin(), scenario.run_real()
    assert by_workload(builtin) == by_workload(real)
    for name, times in instants(real).items():
        assert instants(builtin)[name] == pytest.approx(times, abs=TOLERANCE_S)
