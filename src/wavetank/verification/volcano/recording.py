"""Recorded sessions of Volcano: the objects of a scenario, and the input and result of each session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from wavetank.errors import InputError

Document = dict[str, Any]


class PodState(msgspec.Struct, frozen=True):
    """The state of a pod before a session."""

    phase: str
    node: str = ""
    terminating: bool = False
    nominated: str = ""


class Result(msgspec.Struct, frozen=True):
    """The result of a session."""

    enqueued: list[str]
    binds: list[list[str]]
    evicts: list[list[str]]
    pipelined: dict[str, str]
    jobs: dict[str, Document]
    pod_groups: dict[str, Document] = msgspec.field(name="podGroups")
    trace: list[Document]
    pod_conditions: dict[str, Document] = msgspec.field(name="podConditions", default_factory=dict)
    fit_errors: dict[str, str] = msgspec.field(name="fitErrors", default_factory=dict)
    open: Document = {}
    close: Document = {}
    queue_allocated: dict[str, Document] = msgspec.field(name="queueAllocated", default_factory=dict)
    events: list[list[str]] = []


class Runs(msgspec.Struct, frozen=True):
    """How repeatable a session was."""

    same_all: bool
    same_outcome: bool
    alternatives: list[Document] = []


class SessionRecord(msgspec.Struct, frozen=True):
    """One session: its pods and PodGroups, and its result."""

    index: int
    time: str
    node_list: list[str] = msgspec.field(name="nodeList")
    pods: dict[str, PodState]
    pod_groups: dict[str, Document] = msgspec.field(name="podGroups")
    result: Result
    runs: Runs
    applied: dict[str, list[str]] = {}


class Scenario(msgspec.Struct, frozen=True):
    """One recorded scenario."""

    family: str
    name: str
    volcano: str
    conf: str
    priority_classes: list[Document] = msgspec.field(name="priorityClasses")
    queues: list[Document]
    nodes: list[Document]
    pod_groups: list[Document] = msgspec.field(name="podGroups")
    pods: list[Document]
    sessions: list[SessionRecord]


def parse_scenario(text: str, path: Path) -> Scenario:
    """Reads the text of one file."""
    try:
        return msgspec.json.decode(text, type=Scenario)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not a recorded scenario of Volcano: {error}", source=str(path)) from None


class _Kind(msgspec.Struct):
    volcano: str = ""


def is_scenario(text: str) -> bool:
    """Tells whether a text has recorded sessions of Volcano, not a recording of kube-scheduler."""
    try:
        return bool(msgspec.json.decode(text, type=_Kind).volcano)
    except (msgspec.DecodeError, RecursionError):
        return False
