"""The runs of a job: when they started and stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.batchoperator.client.objects import timestamp
from wavetank.batchoperator.resources.references import Reference
from wavetank.kernel.durations import Nanoseconds

Events = Sequence[Mapping[str, Any]]


def started(events: Events, scheduling: Reference, now: Nanoseconds) -> list[Mapping[str, Any]]:
    """Returns the runs of a job that has started to run."""
    return [*events, {"start": timestamp(now), "scheduling": _reference(scheduling)}]


def stopped(events: Events, scheduling: Reference, now: Nanoseconds, *, successful: bool) -> list[Mapping[str, Any]]:
    """Returns the runs of a job that has stopped; one whose start was not seen has none."""
    end = {"stop": timestamp(now), "successful": successful}
    if events and "stop" not in events[-1]:
        return [*events[:-1], {**events[-1], **end}]
    return [*events, {**end, "scheduling": _reference(scheduling)}]


def _reference(name: Reference) -> dict[str, str]:
    return {"name": name.name, "namespace": name.namespace}
