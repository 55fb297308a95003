from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from wavetank.documents import reading as fields
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.formats.batsim.workload import read_identifier, read_walltime


class JobState(StrEnum):
    """The states of a job, in the words of the protocol."""

    NOT_SUBMITTED = "NOT_SUBMITTED"
    SUBMITTED = "SUBMITTED"
    RUNNING = "RUNNING"
    SUCCESS = "COMPLETED_SUCCESSFULLY"
    FAILED = "COMPLETED_FAILED"
    WALLTIME = "COMPLETED_WALLTIME_REACHED"
    KILLED = "COMPLETED_KILLED"
    REJECTED = "REJECTED"


FINISHED = frozenset({JobState.SUCCESS, JobState.FAILED, JobState.WALLTIME, JobState.KILLED, JobState.REJECTED})


class Job:
    """A job; `identifier` is its name on the wire (`w0!1`), `raw` its description there."""

    __slots__ = (
        "allocation",
        "exit_code",
        "finished",
        "identifier",
        "joules",
        "kill_requested",
        "metadata",
        "name",
        "profile",
        "raw",
        "size",
        "started",
        "state",
        "submission",
        "walltime",
        "workload",
    )

    def __init__(self, workload: str, raw: Mapping[str, Any], path: str = "") -> None:
        self.workload = workload
        self.name = read_name(raw.get("id"), f"{path}.id" if path else "id")
        self.identifier = f"{workload}!{self.name}"
        self.raw = {**raw, "id": self.identifier}
        self.size = fields.integer(raw.get("res"), f"{path}.res", 1, fields.MOST_OBJECTS)
        self.profile = fields.text(raw.get("profile"), f"{path}.profile")
        self.submission: Nanoseconds = fields.duration(raw.get("subtime", 0), f"{path}.subtime")
        self.walltime = read_walltime(raw.get("walltime", -1), f"{path}.walltime")
        self.state = JobState.NOT_SUBMITTED
        self.started: Nanoseconds | None = None
        self.finished: Nanoseconds | None = None
        self.allocation: tuple[int, ...] = ()
        self.exit_code = -1
        self.joules = -1.0
        self.metadata = ""
        self.kill_requested = False


def read_name(value: object, path: str) -> str:
    """Reads the id of a job in its workload."""
    return read_identifier(value, path).rpartition("!")[2]
