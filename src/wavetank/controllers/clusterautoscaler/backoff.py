from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds


@dataclass(slots=True)
class _Entry:
    duration: Nanoseconds
    until: Nanoseconds
    last_failure: Nanoseconds
    reason: BackoffReason


@dataclass(frozen=True, slots=True)
class BackoffReason:
    """Why a group is backed off, as a cloud provider states it."""

    error_class: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.error_class}.{self.code}"


class ExponentialBackoff:
    """For how long no node is added to a group after a failure.

    A failure after the end of a back-off doubles it, one during it leaves it as it is; all is forgotten a reset
    time-out after the last failure.
    """

    def __init__(self, initial: Nanoseconds, longest: Nanoseconds, reset: Nanoseconds) -> None:
        self._initial = initial
        self._longest = longest
        self._reset = reset
        self._entries: dict[str, _Entry] = {}

    def fail(self, group: str, reason: BackoffReason, now: Nanoseconds) -> Nanoseconds:
        """Notes a failure and returns until when the group is backed off."""
        entry = self._entries.get(group)
        duration = self._initial
        if entry is not None:
            duration = entry.duration
            if entry.until <= now:
                duration = min(2 * duration, self._longest)
        self._entries[group] = _Entry(duration, now + duration, now, reason)
        return now + duration

    def reason(self, group: str, now: Nanoseconds) -> BackoffReason | None:
        """Returns why a group is backed off now, or None if it is not."""
        entry = self._entries.get(group)
        return entry.reason if entry is not None and entry.until > now else None

    def drop_stale(self, now: Nanoseconds) -> None:
        """Forgets groups whose last failure is long ago."""
        for group in [name for name, entry in self._entries.items() if entry.last_failure + self._reset < now]:
            del self._entries[group]
