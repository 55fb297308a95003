"""What runs beside the interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wavetank.apiserver.clock.heartbeat import Heartbeat

T = TypeVar("T")


class SimulatedRuntime:
    """A simulation in the same thread, which advances between requests."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts its clock."""
        self._heartbeat.failed = failed
        self._heartbeat.start()

    def stop(self) -> None:
        """Stops its clock."""
        self._heartbeat.stop()

    async def call(self, function: Callable[[], T]) -> T:
        """Calls a function at the present virtual time."""
        self._heartbeat.pacing.keep_up()
        try:
            return function()
        finally:
            self._heartbeat.reschedule()
