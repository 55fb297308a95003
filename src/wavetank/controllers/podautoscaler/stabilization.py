"""Recommendations of the recent past, and what they allow."""

from __future__ import annotations

from typing import NamedTuple

from wavetank.kernel.durations import Nanoseconds


class Stabilized(NamedTuple):
    """A recommendation after stabilization, and the condition that explains it."""

    replicas: int
    reason: str
    message: str


_HIGHER = "recent recommendations were higher than current one, applying the highest recent recommendation"
_LOWER = "recent recommendations were lower than current one, applying the lowest recent recommendation"
_AS_RECOMMENDED = ("ReadyForNewScale", "recommended size matches current size")


class Recommendations:
    """What one autoscaler has recommended and when, beginning with the size that it found.

    A recommendation exactly as old as a window is out of it, as in a cluster, where every sync takes some time. As
    upstream, one that is out takes the place of a new one, no more: a window that grows later sees the others again.
    """

    def __init__(self, replicas: int, now: Nanoseconds) -> None:
        self._made = [(now, replicas)]

    def stabilize(self, replicas: int, now: Nanoseconds, window: Nanoseconds) -> Stabilized:
        """Records a recommendation and returns the highest one of the window."""
        cutoff = now - window
        highest = max([before for time, before in self._made if time > cutoff], default=replicas)
        self._record(replicas, now, cutoff)
        if highest > replicas:
            return Stabilized(highest, "ScaleDownStabilized", _HIGHER)
        return Stabilized(replicas, *_AS_RECOMMENDED)

    def stabilize_within(
        self, replicas: int, current: int, now: Nanoseconds, up: Nanoseconds, down: Nanoseconds
    ) -> Stabilized:
        """Records a recommendation and moves the current size as little as the windows of both directions allow.

        It is raised to the lowest recommendation of the window `up`, then lowered to the highest one of `down`.
        """
        lowest = min([replicas, *[before for time, before in self._made if time > now - up]])
        highest = max([replicas, *[before for time, before in self._made if time > now - down]])
        self._record(replicas, now, now - max(up, down))
        stabilized = min(max(current, lowest), highest)
        if stabilized == replicas:
            return Stabilized(replicas, *_AS_RECOMMENDED)
        if replicas >= current:
            return Stabilized(stabilized, "ScaleUpStabilized", _LOWER)
        return Stabilized(stabilized, "ScaleDownStabilized", _HIGHER)

    def _record(self, replicas: int, now: Nanoseconds, cutoff: Nanoseconds) -> None:
        for index in range(len(self._made) - 1, -1, -1):
            if self._made[index][0] <= cutoff:
                self._made[index] = (now, replicas)
                return
        self._made.append((now, replicas))
