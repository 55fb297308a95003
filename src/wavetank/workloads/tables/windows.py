from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.documents import reading as fields
from wavetank.kernel.durations import SECOND, Nanoseconds

DAY: Nanoseconds = 86_400 * SECOND
HOUR: Nanoseconds = 3600 * SECOND
OPTIONS = ("window", "day")


@dataclass(frozen=True)
class Window:
    """The part of a trace from `begin` to `end` of each day, or of the one `day` (0 is the first)."""

    begin: Nanoseconds = 0
    end: Nanoseconds = DAY
    day: int | None = None

    def since(self, time: Nanoseconds) -> Nanoseconds | None:
        """Returns the time since the window first opened, None if it is closed at that time.

        `time` counts from the midnight before the trace.
        """
        day, of_day = divmod(time, DAY)
        if not self.begin <= of_day < self.end or self.day not in (None, day):
            return None
        return time - self.begin - (self.day or 0) * DAY


def read_window(options: Mapping[str, Any], dawn: int) -> Window:
    """Reads the options `window` (day: from the hour of `dawn` to midnight, night: before it) and `day`."""
    day = options.get("day")
    if day is not None:
        day = fields.integer(day, "options.day", 0, 36_525)
    if "window" not in options:
        return Window(day=day)
    at_night = fields.choice(options["window"], "options.window", ("day", "night")) == "night"
    return Window(0, dawn * HOUR, day) if at_night else Window(dawn * HOUR, DAY, day)
