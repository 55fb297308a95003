from __future__ import annotations

from enum import StrEnum

import msgspec

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources.batchjob import claim_of
from wavetank.batchoperator.resources.references import Reference


class TestbedState(StrEnum):
    """The states of a testbed."""

    __test__ = False  # pytest: this is no test

    INITIAL = "INITIAL"
    IN_PROGRESS = "IN_PROGRESS"
    SUCCESS = "SUCCESS"
    RUNNING = "RUNNING"
    ERROR = "ERROR"


class SlotState(StrEnum):
    """The states of a slot."""

    FREE = "FREE"
    RESERVED = "RESERVED"
    OCCUPIED = "OCCUPIED"
    ERROR = "ERROR"


class SlotStatus(msgspec.Struct, rename={"pod_uid": "podUId"}, omit_defaults=True):
    """A slot: its id within the testbed (`position`), its node, and the pod that is in it."""

    position: int = msgspec.field(name="position")
    node_name: str = msgspec.field(name="nodeName")
    node_id: int = msgspec.field(name="nodeId")
    slot_position_on_node: int = msgspec.field(name="slotPositionOnNode")
    state: str = SlotState.FREE
    pod_name: str | None = msgspec.field(name="podName", default=None)
    pod_uid: str | None = None
    reserved_for: str | None = msgspec.field(name="reservedFor", default=None)


class TestbedSpec(msgspec.Struct, frozen=True, rename="camel"):
    """Slots on each node that has the label `node_label`, whose value numbers the nodes."""

    __test__ = False

    node_label: str
    slots_per_node: int = 1
    resources_per_slot: dict[str, str | int] = {}


class TestbedStatus(msgspec.Struct, rename="camel", omit_defaults=True):
    """What the operator reports of a testbed."""

    __test__ = False

    state: str = ""
    node_problems: dict[str, list[str]] = {}
    problems: list[str] = []
    slots: list[SlotStatus] = []


class Testbed:
    """A testbed, as it was last seen; its fields are read when they are first asked for.

    msgspec.ValidationError if they have other types than the definition says.
    """

    __test__ = False
    __slots__ = ("_spec", "object")

    def __init__(self, found: KubeObject) -> None:
        self.object = found
        self._spec: TestbedSpec | None = None

    @property
    def spec(self) -> TestbedSpec:
        """Returns its spec."""
        if self._spec is None:
            self._spec = msgspec.convert(self.object.spec, TestbedSpec)
        return self._spec

    @property
    def status(self) -> TestbedStatus:
        """Returns its status."""
        return msgspec.convert(self.object.status, TestbedStatus)

    @property
    def state(self) -> TestbedState:
        """Returns its state."""
        return TestbedState(self.object.status.get("state") or TestbedState.INITIAL)

    @property
    def claim(self) -> Reference | None:
        """Returns the scheduling that has claimed it."""
        return claim_of(self.object)


def read_testbed(found: KubeObject) -> Testbed:
    """Returns a Testbed or Slot, the same one for the same version."""
    if found.view is None:
        found.view = Testbed(found)
    testbed: Testbed = found.view
    return testbed
