from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.task import Task

SCHEDULED, UNSCHEDULABLE = "Scheduled", "Unschedulable"


class PodCondition(NamedTuple):
    """Why a pod was not bound, and the node it is nominated to, if others were evicted for it."""

    reason: str
    message: str
    nominated: str


@dataclass
class SessionOutcome:
    """What a session wants done, each list in the order of the commits."""

    enqueued: list[Job] = field(default_factory=list)
    binds: list[tuple[Task, str]] = field(default_factory=list)
    evicts: list[tuple[Task, str]] = field(default_factory=list)
    pipelined: dict[str, str] = field(default_factory=dict)  # the nodes of pipelined tasks
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)  # the status of every job's PodGroup
    conditions: dict[str, PodCondition] = field(default_factory=dict)
    events: list[tuple[str, str, str]] = field(default_factory=list)  # (PodGroup, reason, message), for observers
    queues: dict[str, dict[str, str]] = field(default_factory=dict)  # what each queue's jobs hold, for observers
