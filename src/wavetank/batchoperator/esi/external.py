"""The resources as external schedulers see them: without namespaces, and without what only Kubernetes needs."""

from __future__ import annotations

from typing import Literal

import msgspec

SlotState = Literal["FREE", "RESERVED", "OCCUPIED", "ERROR"]


class ExternalName(msgspec.Struct, frozen=True):
    """The name of a resource with its namespace."""

    name: str
    namespace: str = "default"


class ExternalSlot(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A slot of a testbed: `position` is its id in the testbed, `slotPositionOnNode` counts the slots of its node."""

    position: int
    state: SlotState = "FREE"
    node_name: str | None = None
    node_id: int | None = None
    slot_position_on_node: int = 0
    pod_name: str | None = None
    pod_uid: str | None = msgspec.field(default=None, name="podUId")
    reserved_for: str | None = None


class ExternalTestbed(msgspec.Struct, frozen=True, rename="camel"):
    """A testbed and the state of its slots, by the name of their node."""

    name: str
    state: str
    number_of_nodes: int
    number_of_slots_per_node: int
    slots_by_node: dict[str, list[ExternalSlot]]
    problems: list[str] = []

    @property
    def slots(self) -> list[ExternalSlot]:
        """Returns all slots by their ids."""
        return sorted((slot for slots in self.slots_by_node.values() for slot in slots), key=lambda slot: slot.position)


class ExternalRun(msgspec.Struct, frozen=True):
    """A run of a job: when it started and stopped, in RFC 3339, and for which scheduling."""

    start: str | None = None
    stop: str | None = None
    successful: bool | None = None
    scheduling: ExternalName | None = None


StoredData = dict[str, list[dict[str, str]]]


class ExternalBatchJob(msgspec.Struct, frozen=True, rename="camel"):
    """A job; `externalScheduler` is data that external schedulers have stored with it, `scheduledEvents` its runs."""

    name: str
    state: str | None = None
    external_scheduler: StoredData | None = None
    scheduled_events: list[ExternalRun] | None = None
    problems: list[str] = []


class ExternalSlotJob(msgspec.Struct, frozen=True):
    """A job and the ids of the slots that it gets, one executor in each."""

    name: str
    slots: list[int]


class ExternalSlotBased(msgspec.Struct, frozen=True):
    """Jobs with fixed slots: `strict` starts them in their order, `relaxed` whenever their own slots are free."""

    jobs: list[ExternalSlotJob]
    mode: Literal["strict", "relaxed"] = "strict"


class ExternalJobStatus(msgspec.Struct, frozen=True):
    """The state of a job within a scheduling."""

    name: str
    state: str


class ExternalScheduling(msgspec.Struct, frozen=True, rename="camel"):
    """Jobs for a testbed: either a `queue`, in which a repeated name means more executors, or fixed `slots`.

    `state` and `jobStatus` are set by the operator; requests need not have them.
    """

    name: str
    test_bed: str
    queue: list[str] | None = None
    slots: ExternalSlotBased | None = None
    state: str | None = None
    job_status: list[ExternalJobStatus] | None = None
    problems: list[str] = []


ExternalResource = ExternalTestbed | ExternalBatchJob | ExternalScheduling


class ExternalError(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a request was refused: `path` is that of the request, `field` the place in its body."""

    timestamp: str
    status: int
    error: str
    message: str
    path: str
    field: str = ""
