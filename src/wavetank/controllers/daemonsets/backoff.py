from __future__ import annotations

from wavetank.kernel.durations import SECOND, Nanoseconds

_FIRST: Nanoseconds = SECOND
_LONGEST: Nanoseconds = 900 * SECOND


class FailureBackoff:
    """Exponential back-off before a failed daemon pod is replaced, per DaemonSet, generation and node."""

    def __init__(self) -> None:
        self._waits: dict[tuple[str, int, str], tuple[Nanoseconds, Nanoseconds]] = {}  # delay, since when

    def remaining(self, key: tuple[str, int, str], now: Nanoseconds) -> Nanoseconds:
        """Returns how long a failed pod has to wait; 0 if it can be replaced now, which doubles the next delay."""
        wait, since = self._waits.get(key, (0, 0))
        if now - since > 2 * _LONGEST:
            wait = 0
        if wait and now - since < wait:
            return wait
        self._waits[key] = (min(wait * 2, _LONGEST) if wait else _FIRST, now)
        return 0
