"""Recorded scenarios of the real cluster-autoscaler: what was played to it, and all that it did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.verification.reading import has_mark, parse_recording

Json = dict[str, Any]

_MARK = '"cluster_autoscaler"'


class RecordedOptions(msgspec.Struct, frozen=True):
    """Delays of the played cluster in nanoseconds."""

    horizon_ns: Nanoseconds
    start_ns: Nanoseconds = 7 * SECOND // 10
    term_ns: Nanoseconds = 34 * SECOND // 10
    halt_ns: Nanoseconds = 126 * SECOND // 10
    recreate_ns: Nanoseconds = 40_000_000
    ds_ns: Nanoseconds = 1_000_000


class RecordedInputs(msgspec.Struct, frozen=True):
    """The scenario: node groups, other nodes, workloads, events and flags."""

    groups: list[Json]
    nodes: list[Json]
    workloads: list[Json]
    events: list[tuple[Nanoseconds, str, Json]]
    flags: dict[str, str]
    options: RecordedOptions


Replicas = tuple[Nanoseconds, str, int, int]  # time, group, before, after


class RecordedOutputs(msgspec.Struct, frozen=True):
    """What came of it, each list in the order of time."""

    replicas: list[Replicas]
    loops: list[Json]
    taints: list[tuple[Nanoseconds, str, list[str], list[str], bool]]
    machine_marks: list[tuple[Nanoseconds, str, str]]
    evictions: list[tuple[Nanoseconds, str, str, int, int]]
    events: list[tuple[Nanoseconds, str, str, str, str, int]]
    status: list[tuple[Nanoseconds, Json]]
    nodes: list[tuple[Nanoseconds, str, str, str]]
    pods: list[list[Any]]
    faults: list[list[Any]]


class RecordedCheck(msgspec.Struct, frozen=True):
    """Whether another run of the real program, with other map orders and random numbers, decided the same."""

    decisions_seed_independent: bool | None = None
    totals_seed_independent: bool | None = None
    variation: dict[str, Json] = {}
    close_calls: list[Any] = []


class ClusterAutoscalerRecording(msgspec.Struct, frozen=True):
    """One scenario."""

    schema: int
    cluster_autoscaler: str
    kube_scheduler: str
    family: str
    name: str
    inputs: RecordedInputs
    outputs: RecordedOutputs
    check: RecordedCheck


def is_cluster_autoscaler_recording(text: str) -> bool:
    """Tells whether a file holds such a recording."""
    return has_mark(text, _MARK)


def parse_cluster_autoscaler_recording(text: str, source: Path) -> ClusterAutoscalerRecording:
    """Reads a recording; `source` is named in errors."""
    return parse_recording(text, ClusterAutoscalerRecording, "cluster-autoscaler", source)
