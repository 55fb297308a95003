from __future__ import annotations

import asyncio
from collections.abc import Callable

from wavetank.apiserver.clock.pacing import Pacing


class Heartbeat:
    """Advances the clock from an event loop, one slice of work at a time, with the loop's own work in between.

    If the simulation fails, it stops and `failed` is called: the state of the cluster is no longer consistent.
    """

    def __init__(self, pacing: Pacing) -> None:
        self.pacing = pacing
        self.failed: Callable[[Exception], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handle: asyncio.Handle | None = None
        self._due = 0.0  # when the next slice is planned, in the loop's time

    def start(self) -> None:
        """Starts, in the running loop."""
        self._loop = asyncio.get_running_loop()
        self.reschedule()

    def stop(self) -> None:
        """Stops."""
        self._loop = None
        if self._handle is not None:
            self._handle.cancel()

    def reschedule(self) -> None:
        """Plans the next slice again: a request may have added a timer, or changed the speed."""
        delay = self.pacing.delay()
        if delay is not None:
            self._plan(delay)

    def _plan(self, delay: float) -> None:
        if self._loop is None:
            return
        due = self._loop.time() + delay
        if self._handle is not None:
            if self._due <= due:
                return
            self._handle.cancel()
        self._due = due
        # with call_soon the loop still reads its sockets first, as before a timer
        self._handle = self._loop.call_later(delay, self._beat) if delay else self._loop.call_soon(self._beat)

    def _beat(self) -> None:
        self._handle = None
        try:
            delay = self.pacing.work()
        except Exception as error:
            if self.failed is None:
                raise
            self.stop()
            self.failed(error)
            return
        if delay is not None:
            self._plan(delay)
