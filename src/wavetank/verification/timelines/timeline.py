"""Recorded timelines: the timed changes of a cluster, and every attempt of one kube-scheduler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from wavetank.cluster.manifests import read_text
from wavetank.cluster.releases import NEWEST, Version, read_version
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds

Change = tuple[Nanoseconds, str, dict[str, Any]]  # time, action, and the object


class Inputs(msgspec.Struct, frozen=True):
    """The objects at the start, their later changes, and options of the API server."""

    init: list[Change]
    events: list[Change]
    options: dict[str, Any]


class TimedAttempt(msgspec.Struct, frozen=True):
    """One attempt; `msg` is an index into the messages, `to` the queue that a failed pod was put in."""

    t: Nanoseconds
    pod: str
    result: str
    node: str | None = None
    msg: int | None = None
    to: str | None = None
    plugins: list[str] | None = None
    nominated: str | None = None
    victims: list[str] = []
    hint: str | None = None


class Move(msgspec.Struct, frozen=True, array_like=True):
    """A pod that an event moved into a queue; `position` is the number of attempts started before."""

    t: Nanoseconds
    position: int
    pod: str
    event: str
    queue: str


class Outputs(msgspec.Struct, frozen=True):
    """What the scheduler did, in order."""

    attempts: list[TimedAttempt]
    messages: list[str]
    binds: list[tuple[Nanoseconds, str, str]]
    end_ns: Nanoseconds
    moves: list[Move]
    skips: list[tuple[Nanoseconds, int, str, int]]
    inflight_events: list[tuple[Nanoseconds, int, str]]


class Timers(msgspec.Struct, frozen=True):
    """When the process and its queue were started."""

    process_start_ns: Nanoseconds
    queue_start_ns: Nanoseconds


class Timeline(msgspec.Struct, frozen=True):
    """One recorded scenario in time."""

    family: str
    name: str
    kube_scheduler: str
    config: dict[str, Any]
    feature_gates: dict[str, bool]
    timers: Timers
    inputs: Inputs
    outputs: Outputs
    check: dict[str, Any]

    @property
    def version(self) -> Version:
        """Returns the release that was recorded."""
        return min(read_version(self.kube_scheduler) or NEWEST, NEWEST)

    @property
    def is_repeatable(self) -> bool:
        """Tells whether the real scheduler did the same with every random seed."""
        return bool(self.check.get("timeline_seed_independent"))


def read_timeline(path: Path) -> Timeline:
    """Reads a recorded timeline; InputError if it is invalid."""
    return parse_timeline(read_text(path), path)


def parse_timeline(text: str, path: Path) -> Timeline:
    """Reads the text of one file."""
    try:
        return msgspec.json.decode(text, type=Timeline)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"not a recorded timeline: {error}", source=str(path)) from None


class _Kind(msgspec.Struct):
    outputs: msgspec.Raw = msgspec.Raw()


def is_timeline(text: str) -> bool:
    """Tells whether a text is a timeline, not recorded cycles or anything else, by its outputs."""
    try:
        return bool(bytes(msgspec.json.decode(text, type=_Kind).outputs))
    except (msgspec.DecodeError, RecursionError):
        return False
