"""The built-in Kueue decides as the real one does, in lockstep on the same random queues and Jobs."""

from __future__ import annotations

import os

import pytest

from tests.controllers.kueue.scenarios import random_run
from tests.support.kueue import find_kueue
from wavetank.kernel.durations import SECOND
from wavetank.testing.queues import QueueDecision, QueueHistory

SEEDS = range(200) if os.environ.get("WAVETANK_ALL") else (0, 1, 3)
TOLERANCE_S = 1.0  # of instants, for the pauses of Kueue's loop depend on the order of its goroutines


def by_workload(history: QueueHistory) -> dict[str, list[QueueDecision]]:
    """Returns the decisions on each workload, in their order; what is written twice at an instant counts once."""
    found: dict[str, dict[tuple[int, str, str], QueueDecision]] = {}
    for each in history.decisions:
        own = found.setdefault(each.workload, {})
        own.pop((each.at, each.what, each.reason), None)
        own[each.at, each.what, each.reason] = each
    return {name: list(own.values()) for name, own in found.items()}


def what(decisions: list[QueueDecision]) -> list[tuple[object, ...]]:
    return [(each.what, each.queue, each.flavors, each.reason) for each in decisions]


def seconds(decisions: list[QueueDecision]) -> list[float]:
    return [each.at / SECOND for each in decisions]


@pytest.mark.parametrize("seed", SEEDS)
def test_both_decide_the_same(seed: int) -> None:
    find_kueue()
    scenario = random_run(seed)
    builtin, real = by_workload(scenario.run_builtin()), by_workload(scenario.run_real())
    assert {name: what(own) for name, own in builtin.items()} == {name: what(own) for name, own in real.items()}
    for name, own in real.items():
        assert seconds(builtin[name]) == pytest.approx(seconds(own), abs=TOLERANCE_S)
