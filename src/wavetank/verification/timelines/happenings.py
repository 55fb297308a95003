"""What a scheduler did and when, in comparable form."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.timelines.timeline import Move, Timeline


@dataclass(slots=True)
class Happened:
    """One attempt; `queue` is where a pod that failed went."""

    time: Nanoseconds
    pod: str
    result: str
    node: str = ""
    message: str = ""
    queue: str = ""
    plugins: tuple[str, ...] = ()
    nominated: str = ""
    victims: frozenset[str] = frozenset()


@dataclass(slots=True)
class Happenings:
    """Everything that a scheduler did; `skips` counts by (time, event) the pods that an event did not help."""

    attempts: list[Happened] = field(default_factory=list)
    binds: list[tuple[Nanoseconds, str, str]] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    skips: Counter[tuple[Nanoseconds, str]] = field(default_factory=Counter)


def recorded(timeline: Timeline) -> Happenings:
    """Returns what the real scheduler did."""
    outputs = timeline.outputs
    attempts = [
        Happened(
            attempt.t,
            attempt.pod,
            attempt.result,
            attempt.node or "",
            "" if attempt.msg is None else outputs.messages[attempt.msg],
            attempt.to or "",
            tuple(sorted(attempt.plugins or ())),
            attempt.nominated or "",
            frozenset(attempt.victims),
        )
        for attempt in outputs.attempts
    ]
    skips: Counter[tuple[Nanoseconds, str]] = Counter()
    for time, _, event, count in outputs.skips:
        skips[time, event] += count
    return Happenings(attempts, outputs.binds, outputs.moves, skips)


def key_of(pod: Pod) -> str:
    """Returns what a record calls a pod."""
    return f"{pod.namespace}/{pod.name}"
