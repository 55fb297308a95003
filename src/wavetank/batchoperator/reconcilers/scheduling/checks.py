"""What keeps a Scheduling from claiming and submitting its jobs."""

from __future__ import annotations

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.scheduling.entry import Entry
from wavetank.batchoperator.resources.batchjob import claim_of
from wavetank.batchoperator.resources.scheduling import QueuedState, Scheduling
from wavetank.batchoperator.resources.testbed import TestbedState


def find_problems(scheduling: Scheduling, testbed: KubeObject | None) -> list[str]:
    """Returns why no job can be scheduled, empty if there is no reason."""
    spec = scheduling.object.spec
    if ("queueBased" in spec) == ("slotBased" in spec):
        return ["exactly one of queueBased and slotBased is required"]
    if scheduling.testbed is None:
        return ["a testbed is required"]
    if testbed is None:
        return [f"there is no testbed {scheduling.testbed}"]
    claim = claim_of(testbed)
    if claim is not None and claim != scheduling.reference:
        return [f"testbed {scheduling.testbed} is claimed by scheduling {claim}"]
    if testbed.status.get("state") == TestbedState.ERROR:
        reasons = "; ".join(testbed.status.get("problems") or ())
        return [f"testbed {scheduling.testbed} is not usable: {reasons}"]
    return []


def job_problem(entry: Entry, slots: int) -> str:
    """Returns why a job cannot be claimed or submitted to a testbed with so many slots, empty if it can."""
    if entry.state is QueuedState.ACQUIRING:
        if not entry.exists:
            return f"there is no job {entry.name}"
        if entry.owner is not None:
            return f"job {entry.name} is claimed by scheduling {entry.owner}"
    elif entry.state is not QueuedState.IN_QUEUE:
        return ""  # it has got its slots
    if not slots:
        return ""  # they are not known yet
    if entry.wanted and max(entry.wanted) >= slots:
        outside = next(slot for slot in entry.wanted if slot >= slots)
        return f"job {entry.name} wants slot {outside}, the testbed has {slots} slots: 0 to {slots - 1}"
    needed = entry.replication
    return f"job {entry.name} needs {needed} slots, the testbed has {slots}" if needed > slots else ""


def free_slots(testbed: KubeObject) -> set[int]:
    """Returns the ids of the slots that have a ghost pod and are not reserved."""
    entries = testbed.status.get("slots") or ()
    return {entry["position"] for entry in entries if entry["state"] == "FREE" and "podUId" in entry}
