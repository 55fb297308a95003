from __future__ import annotations

from wavetank.kernel.durations import Nanoseconds


class RemoteProgram:
    """A program that the user starts and ends; it is expected to connect."""

    def __init__(self, name: str) -> None:
        self.name = name

    def set_clock(self, now: Nanoseconds) -> None:
        """Does nothing: it has its own clock."""

    def resume(self, now: Nanoseconds) -> None:
        """Does nothing: it runs all the time."""

    def wait(self) -> Nanoseconds | None:
        """Returns at once."""
        return None

    def tail(self) -> str:
        """Returns nothing: its log is elsewhere."""
        return ""

    def close(self) -> None:
        """Does nothing: the user ends it."""
