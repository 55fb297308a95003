"""The CustomResourceDefinitions of the batch operator, in both API groups."""

from __future__ import annotations

from typing import Any

from wavetank.batchoperator.resources.batchjob import JobState
from wavetank.batchoperator.resources.groups import ESI, GROUPS, VERSION, ApiGroup
from wavetank.batchoperator.resources.scheduling import QueuedState, SchedulingState
from wavetank.batchoperator.resources.testbed import SlotState, TestbedState

Schema = dict[str, Any]

_OPEN: Schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_IDS: Schema = {"type": "array", "items": _COUNT}
_SLOT_IDS: Schema = {**_IDS, "minItems": 1}


def _object(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    schema: Schema = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(values: type) -> Schema:
    return {**_TEXT, "enum": [str(value) for value in values]}  # type: ignore[attr-defined]  # an Enum


def _rule(rule: str, message: str) -> Schema:
    return {"rule": rule, "message": message}


_REFERENCE = _object(("name",), name={**_TEXT, "minLength": 1}, namespace={**_TEXT, "default": "default"})
_QUANTITY: Schema = {
    "x-kubernetes-int-or-string": True,
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": r"^\+?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?$",
}

_BATCHJOB_SPEC: Schema = {
    **_object(
        sparkSpec=_OPEN,
        flinkSpec=_OPEN,
        externalScheduler={
            "type": "object",
            "additionalProperties": _array({"type": "object", "additionalProperties": _TEXT}),
        },
        creationRequest=_object(
            ("slotIds", "testbedName", "replication"), slotIds=_IDS, testbedName=_REFERENCE, replication=_COUNT
        ),
        activeScheduling=_REFERENCE,
    ),
    "x-kubernetes-validations": [
        _rule("has(self.sparkSpec) != has(self.flinkSpec)", "exactly one of sparkSpec and flinkSpec is required")
    ],
}
_BATCHJOB_STATUS = _object(
    state=_one_of(JobState),
    scheduledEvents=_array(
        _object(start=_TEXT, stop=_TEXT, successful={"type": "boolean"}, scheduling=_REFERENCE),
    ),
    slots=_REFERENCE,
    slotIds=_IDS,
    replication=_COUNT,
    problems=_TEXTS,
    conditions=_array(_OPEN),
)

_TESTBED_SPEC = _object(
    ("slotsPerNode", "nodeLabel", "resourcesPerSlot"),
    slotsPerNode={"type": "integer", "minimum": 1},
    nodeLabel={**_TEXT, "minLength": 1},
    resourcesPerSlot={"type": "object", "minProperties": 1, "additionalProperties": _QUANTITY},
)
_TESTBED_STATUS = _object(
    state=_one_of(TestbedState),
    nodeProblems={"type": "object", "additionalProperties": _TEXTS},
    problems=_TEXTS,
    slots=_array(
        _object(
            ("position", "nodeName", "nodeId", "slotPositionOnNode"),
            position=_COUNT,
            nodeName=_TEXT,
            nodeId={"type": "integer"},
            slotPositionOnNode=_COUNT,
            state=_one_of(SlotState),
            podName=_TEXT,
            podUId=_TEXT,
            reservedFor=_TEXT,
        )
    ),
)

_SCHEDULING_SPEC: Schema = {
    **_object(
        testbed=_REFERENCE,
        slots=_REFERENCE,
        queueBased=_array(_REFERENCE),
        slotBased=_object(
            ("jobs",),
            mode={**_TEXT, "enum": ["strict", "relaxed"], "default": "strict"},
            jobs=_array(_object(("name", "slotIds"), name=_REFERENCE, slotIds=_SLOT_IDS)),
        ),
    ),
    "x-kubernetes-validations": [
        _rule("has(self.queueBased) != has(self.slotBased)", "exactly one of queueBased and slotBased is required"),
        _rule("has(self.testbed) != has(self.slots)", "exactly one of testbed and slots is required"),
    ],
}
_SCHEDULING_STATUS = _object(
    state=_one_of(SchedulingState),
    problems=_TEXTS,
    jobs=_array(
        _object(("name",), name=_REFERENCE, state=_one_of(QueuedState), replication=_COUNT, slotIds=_IDS),
    ),
)


def definitions() -> list[dict[str, Any]]:
    """Returns the definitions of both groups."""
    return [definition for group in GROUPS for definition in group_definitions(group)]


def group_definitions(group: ApiGroup) -> list[dict[str, Any]]:
    """Returns the definitions of one group."""
    scheduling = _column("Scheduling", ".metadata.labels.batchjob\\.tuberlin\\.de/active-scheduling-name")
    return [
        _definition(group, "BatchJob", "batchjobs", "bj", _BATCHJOB_SPEC, _BATCHJOB_STATUS, [scheduling]),
        _definition(
            group,
            group.testbed_kind,
            group.testbed_plural,
            "tb",
            _TESTBED_SPEC,
            _TESTBED_STATUS,
            [_column("Slots per node", ".spec.slotsPerNode", "integer"), scheduling],
        ),
        _definition(
            group,
            "Scheduling",
            "schedulings",
            "sched",
            _SCHEDULING_SPEC,
            _SCHEDULING_STATUS,
            [_column("Testbed", ".spec.testbed.name")],
        ),
    ]


def _column(name: str, path: str, type_: str = "string") -> dict[str, Any]:
    return {"name": name, "type": type_, "jsonPath": path}


def _definition(
    group: ApiGroup, kind: str, plural: str, short: str, spec: Schema, status: Schema, columns: list[dict[str, Any]]
) -> dict[str, Any]:
    names: Schema = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    if group is ESI:  # short names of two groups would be ambiguous
        names["shortNames"] = [short]
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": _object(("spec",), spec=spec, status=status)},
        "additionalPrinterColumns": [
            _column("State", ".status.state"),
            *columns,
            _column("Age", ".metadata.creationTimestamp", "date"),
        ],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group.name}"},
        "spec": {"group": group.name, "scope": "Namespaced", "names": names, "versions": [version]},
    }
