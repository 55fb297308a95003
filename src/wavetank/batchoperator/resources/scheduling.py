from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources.references import Reference


class SchedulingState(StrEnum):
    """The states of a Scheduling, with their published names."""

    INITIAL = "InitialState"
    ACQUIRE = "AcquireState"
    CONFIRMATION = "ConfirmationState"
    SUBMISSION = "SubmissionState"
    AWAITING_COMPLETION = "AwaitingCompletionState"
    COMPLETED = "CompletedState"
    FINISHED = "FinishedState"
    FAILED = "FailedState"


class QueuedState(StrEnum):
    """The states of a job within a Scheduling."""

    ACQUIRING = "Acquiring"
    IN_QUEUE = "InQueue"
    SUBMITTED = "Submitted"
    SCHEDULED = "Scheduled"
    COMPLETED = "Completed"


class SlotBasedJob(msgspec.Struct, frozen=True, rename="camel"):
    """A job and the slots that it needs."""

    name: Reference
    slot_ids: tuple[int, ...]


class SlotBased(msgspec.Struct, frozen=True, rename="camel"):
    """Jobs with fixed slots: `strict` in their order, `relaxed` whenever their own slots are free."""

    jobs: tuple[SlotBasedJob, ...]
    mode: Literal["strict", "relaxed"] = "strict"


class SchedulingSpec(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Jobs for a testbed: either a queue, in which a repeated name is a job with more replicas, or fixed slots.

    `slots` is what older versions call `testbed`.
    """

    testbed: Reference | None = None
    slots: Reference | None = None
    queue_based: tuple[Reference, ...] | None = None
    slot_based: SlotBased | None = None


class QueuedJob(msgspec.Struct, rename="camel", omit_defaults=True):
    """A job of a Scheduling: how many slots it uses, and which once it was submitted."""

    name: Reference
    state: str = QueuedState.ACQUIRING
    replication: int = 0
    slot_ids: list[int] = []


class SchedulingStatus(msgspec.Struct, rename="camel", omit_defaults=True):
    """What the operator reports of a Scheduling."""

    state: str = ""
    jobs: list[QueuedJob] = []
    problems: list[str] = []


class Scheduling(msgspec.Struct, frozen=True):
    """A Scheduling, as it was last seen."""

    object: KubeObject
    spec: SchedulingSpec
    status: SchedulingStatus

    @property
    def state(self) -> SchedulingState:
        """Returns its state."""
        return SchedulingState(self.status.state or SchedulingState.INITIAL)

    @property
    def reference(self) -> Reference:
        """Returns its name and namespace."""
        return Reference(self.object.name, self.object.namespace)

    @property
    def testbed(self) -> Reference | None:
        """Returns its testbed, in either form."""
        return self.spec.testbed or self.spec.slots


def read_scheduling(found: KubeObject) -> Scheduling:
    """Reads a Scheduling; msgspec.ValidationError if its fields have other types than the definition says."""
    spec = msgspec.convert(found.spec, SchedulingSpec)
    return Scheduling(found, spec, msgspec.convert(found.status, SchedulingStatus))
