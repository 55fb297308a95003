"""External schedulers that are policies, in virtual time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.batchoperator.cluster import OperatedCluster
from wavetank.batchoperator.esi.interface import Interface
from wavetank.batchoperator.esi.policy.policy import ExternalPolicy
from wavetank.batchoperator.esi.policy.runner import PolicyRunner
from wavetank.errors import SchedulerError


class InOrder(ExternalPolicy):
    def queue(self, testbed: Any, jobs: Any) -> list[str]:
        return [job.name for job in jobs]


class InReverse(ExternalPolicy):
    def queue(self, testbed: Any, jobs: Any) -> list[str]:
        return [job.name for job in reversed(jobs)]


class OneAtATime(ExternalPolicy):
    def queue(self, testbed: Any, jobs: Any) -> list[str]:
        return [jobs[0].name] * len(testbed.slots)


class LastSlots(ExternalPolicy):
    mode = "relaxed"

    def assign(self, testbed: Any, jobs: Any) -> dict[str, list[int]]:
        return {job.name: [3 - number] for number, job in enumerate(jobs[:2])}


def run(policy: ExternalPolicy, *works: str) -> tuple[OperatedCluster, dict[str, str]]:
    """Runs jobs j0, j1, … on four slots; returns when each started, in minutes and seconds."""
    cluster = OperatedCluster()
    cluster.testbed()
    for number, work in enumerate(works):
        cluster.spark(f"j{number}", work)
    PolicyRunner(Interface(cluster.plain), cluster.clock, "module:A Policy", policy)
    cluster.run()
    starts = {}
    for number in range(len(works)):
        [event] = cluster.find(cluster.group.batchjob, f"j{number}").status["scheduledEvents"]
        assert event["successful"]
        starts[f"j{number}"] = event["start"][14:19]
    return cluster, starts


def test_the_queue_of_a_policy_is_run() -> None:
    _, starts = run(InOrder(), "60s", "60s", "60s", "30s", "60s")
    assert starts == {"j0": "00:00", "j1": "00:00", "j2": "00:00", "j3": "00:00", "j4": "00:30"}


def test_the_order_of_a_policy_counts() -> None:
    _, starts = run(InReverse(), "60s", "60s", "60s", "30s", "60s")
    assert starts == {"j4": "00:00", "j3": "00:00", "j2": "00:00", "j1": "00:00", "j0": "00:30"}


def test_a_policy_is_asked_again_when_its_scheduling_has_ended() -> None:
    cluster, starts = run(OneAtATime(), "60s", "60s")
    assert starts == {"j0": "00:00", "j1": "01:00"}
    assert cluster.plain.list(cluster.group.scheduling) == []


def test_a_policy_assigns_slots() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.spark("b")
    PolicyRunner(Interface(cluster.plain), cluster.clock, "policy", LastSlots())
    cluster.run(30)
    assert cluster.slot_states() == ["FREE", "FREE", "OCCUPIED", "OCCUPIED"]


class Online(InOrder):
    online = True


@pytest.mark.parametrize(
    ("policy", "start"),
    [
        pytest.param(InOrder(), "01:00", id="when the testbed is free"),
        pytest.param(Online(), "00:10", id="at once, if the policy extends its queue"),
    ],
)
def test_jobs_that_come_later_are_scheduled(policy: ExternalPolicy, start: str) -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("early")
    PolicyRunner(Interface(cluster.plain), cluster.clock, "policy", policy)
    cluster.run(10)
    cluster.spark("late")
    cluster.run()
    [event] = cluster.find(cluster.group.batchjob, "late").status["scheduledEvents"]
    assert event["start"][14:19] == start


class Failing(ExternalPolicy):
    def queue(self, testbed: Any, jobs: Any) -> list[str]:
        raise KeyError("profile")


class Guessing(ExternalPolicy):
    def queue(self, testbed: Any, jobs: Any) -> list[str]:
        return ["somewhere"]


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        pytest.param(Failing(), "external scheduler module:A Policy failed: KeyError: 'profile'", id="fails"),
        pytest.param(
            Guessing(), r"external scheduler module:A Policy: queue\[0\]: there is no job 'somewhere'", id="guesses"
        ),
    ],
)
def test_a_policy_that_fails_is_named(policy: ExternalPolicy, problem: str) -> None:
    with pytest.raises(SchedulerError, match=problem):
        run(policy, "60s")
