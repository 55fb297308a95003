"""The operator is killed at each of its writes and started again: nothing is lost, nothing is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.batchoperator.cluster import OperatedCluster
from tests.batchoperator.faults.clients import Interfering, KilledError, described
from wavetank.batchoperator.client.client import Change, Client
from wavetank.batchoperator.operator import BatchOperator
from wavetank.batchoperator.reconcilers.context import OperatorContext
from wavetank.batchoperator.resources.applications import APPLICATIONS
from wavetank.batchoperator.resources.groups import ESI
from wavetank.batchoperator.resources.labels import CLAIM_NAME
from wavetank.kernel.durations import SECOND

DOWN = 5  # seconds until it is started again


class Victim:
    """A cluster whose operator is killed at one of its writes, and started again later; it notes all writes."""

    def __init__(self, cpu: int, kill_at: int | None = None, after: bool = False) -> None:
        self.writes: list[str] = []
        self._kill_at = kill_at
        self._after = after
        self.cluster = OperatedCluster(cpu=cpu, wrap=self._wrap)
        self.created: Counter[str] = Counter()
        for kind in APPLICATIONS:
            self.cluster.plain.subscribe(kind, self._count)

    def _count(self, change: Change) -> None:
        self.created[change.object.name] += change.action == "ADDED"

    def _wrap(self, client: Client) -> Client:
        self._client = Interfering(client, self._interfere)
        return self._client

    def _interfere(self, verb: str, arguments: tuple[Any, ...], write: Callable[[], Any]) -> Any:
        self.writes.append(described(verb, arguments))
        if len(self.writes) - 1 != self._kill_at:
            return write()
        if self._after:
            write()
        self._client.alive = False
        self.cluster.clock.after(DOWN * SECOND, self._restart)
        raise KilledError("killed")

    def _restart(self) -> None:
        client = self._wrap(self.cluster.plain)
        self.cluster.operator = BatchOperator(OperatorContext(client, self.cluster.clock))

    def run(self) -> OperatedCluster:
        cluster = self.cluster
        cluster.testbed()
        cluster.run(30)
        cluster.spark("a")
        cluster.flink("b")
        cluster.spark("c", "30s")
        cluster.queue("q", "a", "a", "b", "c", "c")
        cluster.run(1200)
        return cluster


WRITES = {cpu: (victim := Victim(cpu), victim.run())[0].writes for cpu in (2, 4)}
CASES = [
    pytest.param(cpu, i, after, id=f"{i}-{what}-{'after' if after else 'before'}-{'room' if cpu > 2 else 'tight'}")
    for cpu, writes in WRITES.items()
    for i, what in enumerate(writes)
    for after in ((False, True) if cpu == 2 else (True,))
]


@pytest.mark.parametrize(("cpu", "kill_at", "after"), CASES)
def test_an_operator_that_is_killed_leaves_everything_to_the_next(cpu: int, kill_at: int, after: bool) -> None:
    victim = Victim(cpu, kill_at, after)
    cluster = victim.run()
    assert cluster.state("q") == "Finished", cluster.problems(ESI.scheduling, "q")
    assert dict(victim.created) == {"a": 1, "b": 1, "c": 1}, "each job runs exactly once"
    for name in ("a", "b", "c"):
        assert [event["successful"] for event in cluster.find(ESI.batchjob, name).status["scheduledEvents"]] == [True]
        assert cluster.job_state(name) == "Ready"
    slots = cluster.find(ESI.testbed, "bed").status["slots"]
    assert [slot["state"] for slot in slots] == ["FREE"] * 4
    assert {slot["podName"] for slot in slots} == {pod.name for pod in cluster.plain.list("Pod")}
    assert CLAIM_NAME not in cluster.find(ESI.testbed, "bed").labels


def test_every_transition_is_among_the_writes() -> None:
    """The cases above are all transitions that a run makes: those of testbeds, schedulings and jobs."""
    made = "\n".join(WRITES[2])
    for transition in (
        "Testbed bed new to IN_PROGRESS",
        "Testbed bed IN_PROGRESS to SUCCESS",
        "Testbed bed IN_PROGRESS to RUNNING",
        "Scheduling q new to AcquireState",
        "Scheduling q AcquireState to ConfirmationState",
        "Scheduling q ConfirmationState to SubmissionState",
        "Scheduling q SubmissionState to ConfirmationState",
        "Scheduling q ConfirmationState to AwaitingCompletionState",
        "Scheduling q AwaitingCompletionState to CompletedState",
        "Scheduling q CompletedState to FinishedState",
        "BatchJob a new to ReadyState",
        "BatchJob a ReadyState to InQueueState",
        "BatchJob a InQueueState to SubmittedState",
        "BatchJob a SubmittedState to ScheduledState",
        "BatchJob a ScheduledState to RunningState",
        "BatchJob a RunningState to CompletedState",
        "BatchJob a CompletedState to ReadyState",
        "create SparkApplication a",
        "create FlinkCluster b",
    ):
        assert transition in made
