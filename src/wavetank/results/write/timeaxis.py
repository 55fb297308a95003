"""Ticks of a time axis at round instants."""

from __future__ import annotations

_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800, 2592000)
_MOST = 8


def time_ticks(span: float) -> list[tuple[int, str]]:
    """Returns up to some eight instants of a span in seconds, each with its label in the unit of the steps."""
    step = next((each for each in _STEPS_S if span / each <= _MOST), _STEPS_S[-1])
    return [(tick, _label(tick, step)) for tick in range(0, int(span) + 1, step)]


def _label(seconds: int, step: int) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if step % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
