"""Recorded scenarios of the real HorizontalPodAutoscaler controller: what was played to it, and all that it did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.served.faults import Fault
from wavetank.verification.reading import has_mark, parse_recording

Json = dict[str, Any]

_MARK = '"kube_controller_manager"'


class AutoscalerInputs(msgspec.Struct, frozen=True):
    """The scenario: targets and how their pods behave, metrics, events and faults."""

    flags: dict[str, str]
    horizon_ns: Nanoseconds
    targets: list[Json]
    metrics: Json
    events: list[tuple[Nanoseconds, str, Json]]
    faults: list[Fault] = []
    api_scale_to_zero: bool = False
    custom_version: str = "v1beta2"


class RecordedSync(msgspec.Struct, frozen=True):
    """One sync: the answers that the controller got, its decision and its writes; `status` only if it was written."""

    t: Nanoseconds
    hpa: str
    target: str | None = None
    scale: Json | None = None
    answers: list[Json] = []
    proposed: int | None = None
    metric: str = ""
    desired: int | None = None
    rescale: tuple[int, int] | None = None
    reason: str = ""
    writes: list[list[Any]] = []
    status: Json | None = None
    errors: list[str] = []


class AutoscalerOutputs(msgspec.Struct, frozen=True):
    """What came of it, each list in the order of time."""

    syncs: list[RecordedSync]
    replicas: list[tuple[Nanoseconds, str, int | None, int | None, str]]
    events: list[tuple[Nanoseconds, str, str, str, str, int]]
    hpas: list[tuple[Nanoseconds, str, Json | None]]
    pods: list[list[Any]]
    other: list[list[Any]] = []


class AutoscalerRecording(msgspec.Struct, frozen=True):
    """One scenario."""

    schema: int
    kube_controller_manager: str
    family: str
    name: str
    inputs: AutoscalerInputs
    outputs: AutoscalerOutputs

    @property
    def has_conflicts(self) -> bool:
        """Tells whether a write met a conflict: the pause before the next try is random."""
        return any(write[1] == 409 for sync in self.outputs.syncs for write in sync.writes)


def is_autoscaler_recording(text: str) -> bool:
    """Tells whether a file holds such a recording."""
    return has_mark(text, _MARK)


def parse_autoscaler_recording(text: str, source: Path) -> AutoscalerRecording:
    """Reads a recording; `source` is named in errors."""
    return parse_recording(text, AutoscalerRecording, "autoscalers", source)
