"""What a scheduler did and when, in a form that can be compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.timelines.timeline import Move, Timeline


@dataclass(slots=True)
class ObservedAttempt:
    """One attempt; `queue` is the queue that a failed pod was put in."""

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
class Activity:
    """Everything that a scheduler did; `skips` counts by (time, event) the pods that an event did not move."""

    attempts: list[ObservedAttempt] = field(default_factory=list)
    binds: list[tuple[Nanoseconds, str, str]] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    skips: Counter[tuple[Nanoseconds, str]] = field(default_factory=Counter)


def recorded(timeline: Timeline) -> Activity:
    """Returns what the real scheduler did."""
    outputs = timeline.outputs
    attempts = [
        ObservedAttempt(
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
    return Activity(attempts, outputs.binds, outputs.moves, skips)


def key_of(pod: Pod) -> str:
    """Returns the record's name of a pod: namespace/name."""
    return f"{pod.namespace}/{pod.name}"
