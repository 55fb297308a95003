"""What one loop of the autoscaler saw and decided, for events, tests and comparison with recordings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wavetank.controllers.framework.clustersnapshot import Misfit
from wavetank.kernel.durations import Nanoseconds

MIN_SIZE_REACHED = "node group min size reached"


class Resize(NamedTuple):
    """A change of a group's size; `most` is its maximum."""

    group: str
    before: int
    after: int
    most: int


@dataclass(slots=True)
class ScaleDownReport:
    """What scale-down found; nodes by name, utilisation as (resource, share).

    `moves` tells for each unneeded node where its pods would move, by uid.
    """

    below: dict[str, tuple[str, float]] = field(default_factory=dict)
    above: dict[str, tuple[str, float]] = field(default_factory=dict)
    cannot: dict[str, str] = field(default_factory=dict)
    not_considered: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    ignored: int = 0
    moves: dict[str, Mapping[str, str]] = field(default_factory=dict)
    unneeded_since: dict[str, Nanoseconds] = field(default_factory=dict)
    forbidden: bool = False
    cooldown: bool = False


@dataclass(slots=True)
class LoopReport:
    """One loop; pods by name, groups by id. `down` is None if the loop ended before scale-down."""

    time: Nanoseconds
    trigger: str
    scheduled: int = 0
    unschedulable: int = 0
    packing: dict[str, str] = field(default_factory=dict)
    too_young: int = 0
    all_new: bool = False
    to_help: list[str] = field(default_factory=list)
    upcoming: int | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    misfits: dict[tuple[str, str], Misfit] = field(default_factory=dict)
    no_fit: list[str] = field(default_factory=list)
    options: dict[str, tuple[int, int]] = field(default_factory=dict)
    waste: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    tied: tuple[str, ...] = ()
    best: str = ""
    estimated: int = 0
    plan: list[Resize] = field(default_factory=list)
    no_options: bool = False
    max_nodes_total_reached: bool = False
    unregistered: int = 0
    removed_unregistered: list[str] = field(default_factory=list)
    timed_out: list[str] = field(default_factory=list)
    backoff: list[tuple[str, Nanoseconds]] = field(default_factory=list)
    unhealthy: bool = False
    remove_empty: list[str] = field(default_factory=list)
    remove_drain: list[str] = field(default_factory=list)
    down: ScaleDownReport | None = None
