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

    __hash__ = str.__hash__  # quicker than an enumeration's own


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


class Scheduling:
    """A Scheduling, as it was last seen; its fields are read when they are asked for.

    msgspec.ValidationError if they have other types than the definition says.
    """

    __slots__ = ("object", "reference")

    def __init__(self, found: KubeObject) -> None:
        self.object = found
        self.reference = Reference(found.name, found.namespace)

    @property
    def spec(self) -> SchedulingSpec:
        """Returns its spec."""
        return msgspec.convert(self.object.spec, SchedulingSpec)

    @property
    def status(self) -> SchedulingStatus:
        """Returns its status."""
        return msgspec.convert(self.object.status, SchedulingStatus)

    @property
    def state(self) -> SchedulingState:
        """Returns its state."""
        return SchedulingState(self.object.status.get("state") or SchedulingState.INITIAL)

    @property
    def testbed(self) -> Reference | None:
        """Returns its testbed, in either form."""
        stated = self.object.spec.get("testbed") or self.object.spec.get("slots")
        return msgspec.convert(stated, Reference) if stated else None


def read_scheduling(found: KubeObject) -> Scheduling:
    """Returns a Scheduling, the same one for the same version."""
    if found.view is None:
        found.view = Scheduling(found)
    scheduling: Scheduling = found.view
    return scheduling
