from __future__ import annotations

from wavetank.kernel.durations import Nanoseconds
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.process import Start, begin, end_group, how_ended, plain_environment, tail_of


class FreeProcess:
    """A program that runs freely on its own clock.

    It leads its own process group, which ends with it, and it never outlives this process.
    """

    def __init__(self, name: str, start: Start) -> None:
        self.name = name
        self._log = start.log
        self._process = begin(name, start, {**plain_environment(), **start.environment})

    def set_clock(self, now: Nanoseconds) -> None:
        """Does nothing: it has its own clock."""

    def resume(self, now: Nanoseconds) -> None:
        """Does nothing: it runs all the time."""

    def wait(self) -> Nanoseconds | None:
        """Returns at once; ProcessError if it has exited."""
        status = self._process.poll()
        if status is None:
            return None
        raise ProcessError(self.name, how_ended(status), self.tail())

    def tail(self) -> str:
        """Returns the last lines of its log."""
        return tail_of(self._log)

    def close(self) -> None:
        """Ends its process group."""
        end_group(self._process)
