from __future__ import annotations

from typing import Protocol

from wavetank.kernel.durations import Nanoseconds


class SteppedProcess(Protocol):
    """A program that runs in turns with the simulation: it runs until it is quiet, then time may advance.

    Times are virtual, from the start of the run. ProcessError if it has exited or never becomes quiet.
    """

    name: str

    def set_clock(self, now: Nanoseconds) -> None:
        """Sets its clock, before anything is sent to it."""

    def resume(self, now: Nanoseconds) -> None:
        """Resumes it at this time."""

    def wait(self) -> Nanoseconds | None:
        """Waits until it is quiet; returns when its next timer is due, None if it has none."""

    def tail(self) -> str:
        """Returns the last lines of its log."""

    def close(self) -> None:
        """Ends it and all processes that it has started."""
