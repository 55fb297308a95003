from __future__ import annotations

from wavetank.kernel.durations import SECOND, Nanoseconds

_FIRST: Nanoseconds = SECOND
_LONGEST: Nanoseconds = 900 * SECOND


class FailureBackoff:
    """How long a failed daemon pod waits until it is replaced, per place: not at all, then longer and longer."""

    def __init__(self) -> None:
        self._waits: dict[tuple[str, int, str], tuple[Nanoseconds, Nanoseconds]] = {}  # how long, since when

    def remaining(self, key: tuple[str, int, str], now: Nanoseconds) -> Nanoseconds:
        """Returns how long a pod that has failed has to wait, 0 if it may go; that it goes now is noted then."""
        wait, since = self._waits.get(key, (0, 0))
        if now - since > 2 * _LONGEST:
            wait = 0
        if wait and now - since < wait:
            return wait
        self._waits[key] = (min(wait * 2, _LONGEST) if wait else _FIRST, now)
        return 0
