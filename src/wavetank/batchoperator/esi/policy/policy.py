from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from wavetank.batchoperator.esi.external import (
    ExternalBatchJob,
    ExternalScheduling,
    ExternalSlotBased,
    ExternalSlotJob,
    ExternalTestbed,
)
from wavetank.errors import SchedulerError
from wavetank.scheduling.policy import Policy

METHODS = ("queue", "assign")


class ExternalPolicy(Policy):
    """The base class of external schedulers; inheriting it is optional, but one of the methods is required.

    A method is called when a testbed is free and there are jobs that are ready and have not run yet. What it returns
    becomes a scheduling; when that has ended, it is called again with the jobs that are left. If it is `online`, it is
    also called with jobs that come while its queue runs, which is extended then. `random` is a stream that follows the
    run's seed, `now()` the time of the simulation in nanoseconds.
    """

    online = False  # of `queue`
    mode: Literal["strict", "relaxed"] = "strict"  # of `assign`


def is_external(policy: type) -> bool:
    """Tells whether a class is an external scheduler."""
    return any(callable(getattr(policy, method, None)) for method in METHODS)


class PolicyCaller:
    """Asks a policy what to run, and makes a scheduling of its answer."""

    def __init__(self, name: str, policy: Any) -> None:
        self._name = name
        self._policy = policy

    @property
    def extends(self) -> bool:
        """Tells whether the policy extends queues while they run."""
        return bool(getattr(self._policy, "online", False)) and not hasattr(self._policy, "assign")

    def ask(self, scheduling: str, testbed: ExternalTestbed, jobs: Sequence[ExternalBatchJob]) -> ExternalScheduling:
        """Returns a scheduling of this name, which may have no jobs; SchedulerError if the policy fails."""
        if hasattr(self._policy, "assign"):
            slots = _read_slots(self._call(lambda: dict(self._policy.assign(testbed, list(jobs)))))
            mode = getattr(self._policy, "mode", ExternalPolicy.mode)
            return ExternalScheduling(scheduling, testbed.name, slots=ExternalSlotBased(slots, mode))
        queue = self._call(lambda: [str(name) for name in self._policy.queue(testbed, list(jobs))])
        return ExternalScheduling(scheduling, testbed.name, queue=queue)

    def _call(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except Exception as error:
            raise SchedulerError(f"external scheduler {self._name} failed: {type(error).__name__}: {error}") from error


def _read_slots(assigned: Mapping[str, Sequence[int]]) -> list[ExternalSlotJob]:
    return [ExternalSlotJob(str(job), [int(slot) for slot in slots]) for job, slots in assigned.items()]
