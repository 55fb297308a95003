"""The built-in Kueue decides as the real one does, in lockstep on the same random queues and Jobs."""

from __future__ import annotations

import os

import pytest

from tests.controllers.kueue.mixed import random_mixed, retried_checks
from tests.controllers.kueue.placed import random_placed
from tests.controllers.kueue.scenarios import ENDLESS, Scenario, random_run
from tests.support.kueue import find_kueue
from wavetank.kernel.durations import SECOND
from wavetank.loop.errors import ProcessError
from wavetank.testing.queues import QueueDecision, QueueHistory

ALL = bool(os.environ.get("WAVETANK_ALL"))
PANICS = frozenset({144})  # seeds on which Kueue 0.16.1 itself crashes, see `compare_until_the_panic`
TOLERANCE_S = 1.0  # of instants, for the pauses of Kueue's loop depend on the order of its goroutines


def by_workload(history: QueueHistory) -> dict[str, list[QueueDecision]]:
    """Returns the decisions on each workload, in their order.

    What is written twice at an instant counts once, unless workloads preempt each other without end.
    """
    found: dict[str, dict[object, QueueDecision]] = {}
    for number, each in enumerate(history.decisions):
        own = found.setdefault(each.workload, {})
        key = number if is_endless(history) else (each.at, each.what, each.reason)
        own.pop(key, None)
        own[key] = each
    return {name: list(own.values()) for name, own in found.items()}


def is_endless(history: QueueHistory) -> bool:
    return len(history.decisions) >= ENDLESS


def what(decisions: list[QueueDecision]) -> list[tuple[object, ...]]:
    return [(each.what, each.queue, each.flavors, each.reason, each.domains) for each in decisions]


def seconds(decisions: list[QueueDecision]) -> list[float]:
    return [each.at / SECOND for each in decisions]


def compare(scenario: Scenario) -> None:
    """Compares the decisions on each workload; if there is no end to them, as far as both runs went."""
    find_kueue()
    builtin, real = scenario.run_builtin(), scenario.run_real()
    assert is_endless(builtin) == is_endless(real)
    compare_histories(builtin, real)


def compare_until_the_panic(scenario: Scenario) -> None:
    """Compares the decisions before the real Kueue crashes.

    With fair sharing it dereferences the cohort of a queue that has none, if all that it may preempt there is not
    enough (kubernetes-sigs/kueue#10891). The built-in one preempts nothing then, as later releases do.
    """
    find_kueue()
    builtin, real = scenario.run_builtin(), QueueHistory()
    with pytest.raises(ProcessError, match=r"nil pointer dereference.*CohortSnapshot\)\.Root"):
        scenario.run_real(real)
    builtin.decisions = [each for each in builtin.decisions if each.at <= real.decisions[-1].at]
    compare_histories(builtin, real)


def compare_histories(builtin: QueueHistory, real: QueueHistory) -> None:
    ours, theirs = by_workload(builtin), by_workload(real)
    assert ours.keys() == theirs.keys()
    for name, own in ours.items():
        length = min(len(own), len(theirs[name])) if is_endless(builtin) else None
        mine, its = own[:length], theirs[name][:length]
        assert what(mine) == what(its), name
        assert seconds(mine) == pytest.approx(seconds(its), abs=TOLERANCE_S), name


@pytest.mark.parametrize("seed", range(200) if ALL else (0, 3, 6))
def test_both_decide_the_same_on_jobs(seed: int) -> None:
    compared = compare_until_the_panic if seed in PANICS else compare
    compared(random_run(seed))


@pytest.mark.parametrize("seed", range(60) if ALL else (1, 4))
def test_both_decide_the_same_on_pods_groups_checks_and_stopped_queues(seed: int) -> None:
    compare(random_mixed(seed))


@pytest.mark.parametrize("seed", range(40) if ALL else (1,))
def test_both_place_jobs_in_the_same_domains(seed: int) -> None:
    compare(random_placed(seed))


@pytest.mark.skipif(not ALL, reason="takes some seconds: make test-all")
@pytest.mark.parametrize("seed", range(20))
def test_both_place_pods_and_groups_in_the_same_domains(seed: int) -> None:
    compare(random_placed(seed, pods=True))


@pytest.mark.skipif(not ALL, reason="takes some seconds: make test-all")
def test_both_ask_a_check_again_that_wants_it() -> None:
    compare(retried_checks())
