from __future__ import annotations

import re
from typing import Any

from wavetank.batchoperator.esi.broadcast import DELETED
from wavetank.batchoperator.esi.external import (
    ExternalBatchJob,
    ExternalResource,
    ExternalScheduling,
    ExternalTestbed,
)
from wavetank.batchoperator.esi.interface import Interface, RefusedError
from wavetank.batchoperator.esi.policy.policy import PolicyCaller
from wavetank.batchoperator.resources.batchjob import JobState
from wavetank.batchoperator.resources.scheduling import SchedulingState
from wavetank.batchoperator.resources.testbed import TestbedState
from wavetank.controllers.framework.queue import Key, WorkQueue
from wavetank.errors import SchedulerError
from wavetank.kernel.clock import Clock

_ENDED = (SchedulingState.COMPLETED, SchedulingState.FINISHED)


class PolicyRunner:
    """Lets a policy schedule the jobs of a namespace on all its testbeds, one scheduling at a time on each."""

    def __init__(self, interface: Interface, clock: Clock, name: str, policy: Any) -> None:
        self._interface = interface
        self._name = name
        self._prefix = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") or "external"
        self._caller = PolicyCaller(name, policy)
        self._testbeds: dict[str, ExternalTestbed] = {}
        self._jobs: dict[str, ExternalBatchJob] = {}
        self._schedulings: dict[str, ExternalScheduling] = {}
        self._known: dict[str, dict[str, Any]] = {
            "testbeds": self._testbeds,
            "jobs": self._jobs,
            "schedulings": self._schedulings,
        }
        self._made = 0
        self._queue = WorkQueue(clock, self._decide)
        interface.publish_to(self._changed)

    def _changed(self, topic: str, action: str, resource: ExternalResource) -> None:
        known = self._known[topic]
        if action == DELETED:
            known.pop(resource.name, None)
        else:
            known[resource.name] = resource
        if isinstance(resource, ExternalScheduling):
            self._queue.add(("", resource.test_bed))
        elif isinstance(resource, ExternalTestbed):
            self._queue.add(("", resource.name))
        elif _is_waiting(resource):
            for testbed in self._testbeds:
                self._queue.add(("", testbed))

    def _decide(self, key: Key) -> None:
        testbed = self._testbeds.get(key[1])
        present = [each for each in self._schedulings.values() if each.test_bed == key[1]]
        for each in present:
            if each.state in _ENDED:
                self._interface.delete_scheduling(each.name)  # which releases its jobs, and leads back here
            elif self._caller.extends and testbed is not None and each.queue is not None:
                self._extend(testbed, each)
        if testbed is not None and not present and testbed.state == TestbedState.SUCCESS:
            self._schedule(testbed)

    def _schedule(self, testbed: ExternalTestbed) -> None:
        jobs = self._waiting()
        if not jobs:
            return
        scheduling = self._caller.ask(f"{self._prefix}-{self._made}", testbed, jobs)
        if scheduling.queue or (scheduling.slots and scheduling.slots.jobs):  # else it waits for something
            self._made += 1
            self._put(scheduling)

    def _extend(self, testbed: ExternalTestbed, running: ExternalScheduling) -> None:
        jobs = self._waiting()
        more = self._caller.ask(running.name, testbed, jobs).queue if jobs else None
        if more:
            self._put(ExternalScheduling(running.name, testbed.name, queue=[*(running.queue or ()), *more]))

    def _waiting(self) -> list[ExternalBatchJob]:
        """Returns the jobs that wait, and that no scheduling has."""
        taken = {name for each in self._schedulings.values() for name in _names(each)}
        return [job for job in self._jobs.values() if _is_waiting(job) and job.name not in taken]

    def _put(self, scheduling: ExternalScheduling) -> None:
        try:
            self._interface.put_scheduling(scheduling)
        except RefusedError as error:
            place = f"{error.field}: " if error.field else ""
            raise SchedulerError(f"external scheduler {self._name}: {place}{error}") from None


def _names(scheduling: ExternalScheduling) -> list[str]:
    return scheduling.queue or [job.name for job in (scheduling.slots.jobs if scheduling.slots else ())]


def _is_waiting(job: ExternalBatchJob) -> bool:
    """Tells whether a job is ready and has not run yet."""
    return job.state == JobState.READY and not any(run.successful for run in job.scheduled_events or ())
