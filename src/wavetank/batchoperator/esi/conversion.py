"""From custom resources to what external schedulers see, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.esi.external import (
    ExternalBatchJob,
    ExternalJobStatus,
    ExternalScheduling,
    ExternalSlot,
    ExternalSlotBased,
    ExternalSlotJob,
    ExternalTestbed,
)
from wavetank.batchoperator.resources.batchjob import read_batchjob
from wavetank.batchoperator.resources.groups import ESI, ApiGroup
from wavetank.batchoperator.resources.scheduling import QueuedJob, QueuedState, SlotBased, read_scheduling
from wavetank.batchoperator.resources.testbed import read_testbed

_PROGRESS = {state: rank for rank, state in enumerate(QueuedState)}


def to_testbed(found: KubeObject) -> ExternalTestbed:
    """Returns a testbed with its slots by node, in the order of their ids."""
    testbed = read_testbed(found)
    slots = [msgspec.convert(msgspec.to_builtins(slot), ExternalSlot) for slot in testbed.status.slots]
    slots.sort(key=lambda slot: (slot.node_id or 0, slot.position))
    by_node = {name or "": list(group) for name, group in groupby(slots, attrgetter("node_name"))}
    per_node = testbed.spec.slots_per_node
    problems = [*testbed.status.problems, *_of_nodes(testbed.status.node_problems)]
    return ExternalTestbed(found.name, testbed.state, len(slots) // max(1, per_node), per_node, by_node, problems)


def _of_nodes(problems: Mapping[str, Iterable[str]]) -> list[str]:
    return [f"{node}: {problem}" for node, found in problems.items() for problem in found]


def to_job(found: KubeObject) -> ExternalBatchJob:
    """Returns a job with its state, its runs, and what external schedulers have stored with it."""
    job = read_batchjob(found)
    external: dict[str, Any] = {
        "name": found.name,
        "state": job.state,
        "externalScheduler": job.spec.external_scheduler or {},
        "scheduledEvents": msgspec.to_builtins(job.status.scheduled_events),
        "problems": job.status.problems,
    }
    return msgspec.convert(external, ExternalBatchJob)


def to_scheduling(found: KubeObject) -> ExternalScheduling:
    """Returns a scheduling with its state and those of its jobs."""
    scheduling = read_scheduling(found)
    queue, slots, testbed = scheduling.spec.queue_based, scheduling.spec.slot_based, scheduling.testbed
    return ExternalScheduling(
        found.name,
        testbed.name if testbed else "",
        None if queue is None else [job.name for job in queue],
        None if slots is None else _to_slots(slots),
        scheduling.state,
        _to_job_status(scheduling.status.jobs),
        list(scheduling.status.problems),
    )


def _to_slots(slots: SlotBased) -> ExternalSlotBased:
    return ExternalSlotBased([ExternalSlotJob(job.name.name, list(job.slot_ids)) for job in slots.jobs], slots.mode)


def _to_job_status(jobs: Iterable[QueuedJob]) -> list[ExternalJobStatus]:
    """Returns each job once, with the furthest of its states."""
    states: dict[str, str] = {}
    for job in jobs:
        name, known = job.name.name, states.get(job.name.name)
        if known is None or _rank(job.state) > _rank(known):
            states[name] = job.state
    return [ExternalJobStatus(name, state) for name, state in states.items()]


def _rank(state: str) -> int:
    return _PROGRESS[QueuedState(state)]


def scheduling_document(external: ExternalScheduling, group: ApiGroup, namespace: str) -> dict[str, Any]:
    """Returns the Scheduling to be created."""

    def reference(name: str) -> dict[str, str]:
        return {"name": name, "namespace": namespace}

    spec: dict[str, Any] = {"testbed" if group is ESI else "slots": reference(external.test_bed)}
    if external.queue is not None:
        spec["queueBased"] = [reference(name) for name in external.queue]
    if external.slots is not None:
        jobs = [{"name": reference(job.name), "slotIds": job.slots} for job in external.slots.jobs]
        spec["slotBased"] = {"mode": external.slots.mode, "jobs": jobs}
    metadata = {"name": external.name, "namespace": namespace}
    return {"apiVersion": group.api_version, "kind": "Scheduling", "metadata": metadata, "spec": spec}
