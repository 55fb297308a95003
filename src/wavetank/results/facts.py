"""What experiment.json, sweep.json and claims.json say: facts of all runs together that are not in a table."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from wavetank.errors import InputError

_Facts = TypeVar("_Facts", "ExperimentFacts", "SweepFacts", "StudyFacts")


class SchedulerFacts(msgspec.Struct, frozen=True):
    """A scheduler of an experiment."""

    name: str
    description: str = ""


class ClusterFacts(msgspec.Struct, frozen=True):
    """The size of the simulated cluster: sums over its nodes."""

    nodes: int
    cpu_milli: int
    memory_bytes: int


class WorkloadFacts(msgspec.Struct, frozen=True):
    """The workload of an experiment."""

    pods: int
    description: str = ""


class ReplayFacts(msgspec.Struct, frozen=True):
    """The real cluster on which a workload was replayed; times of the results are those of the workload.

    `speed`: seconds of the workload per real second.
    """

    server: str
    context: str
    namespace: str
    speed: float


class ExperimentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of experiment.json, in its order."""

    wavetank: str = ""
    name: str
    kubernetes_version: str = msgspec.field(name="kubernetesVersion")
    latency: str
    ties: str = ""
    seeds: list[int]
    horizon_s: float | None = None
    schedulers: list[SchedulerFacts]
    controllers: str | UnsetType = UNSET
    cluster: ClusterFacts
    node_groups: list[str] | UnsetType = msgspec.field(name="nodeGroups", default=UNSET)
    workload: WorkloadFacts
    warnings: list[str] = []
    replay: ReplayFacts | UnsetType = UNSET


class ScenarioFacts(msgspec.Struct, frozen=True):
    """A scenario of a sweep; `pods` is None if all of its runs failed."""

    name: str
    nodes: int
    workload: str
    pods: int | None
    schedulers: list[SchedulerFacts]
    seeds: list[int]


class SweepFacts(msgspec.Struct, frozen=True):
    """The contents of sweep.json, in its order."""

    wavetank: str
    name: str
    scenarios: list[ScenarioFacts]
    failures: list[str]


class ClaimFacts(msgspec.Struct, frozen=True):
    """A claim of a study, as far as a list of results shows it."""

    verdict: str


class StudyFacts(msgspec.Struct, frozen=True):
    """The contents of claims.json, as far as a list of results shows them."""

    study: str
    title: str
    claims: list[ClaimFacts]


def write_json(path: Path, content: object) -> None:
    """Writes JSON with indentation."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


def read_facts(path: Path, kind: type[_Facts]) -> _Facts:
    """Reads such a file; InputError if it is missing or malformed."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from None
    except msgspec.DecodeError as error:
        raise InputError(str(error), source=str(path)) from None
