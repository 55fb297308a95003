from __future__ import annotations

from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.config.reading import read_duration


def read_go_duration(text: object) -> Nanoseconds | None:
    """Reads a duration as Go writes it (1h30m, 500ms); None for what Go would not read, or what is not above 0."""
    try:
        duration = read_duration(text)
    except InputError:
        return None
    return duration if duration is not None and duration > 0 else None
