from __future__ import annotations

import asyncio
from collections.abc import Callable

from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.webhooks.waiting import Waiting


class Heartbeat:
    """Advances the clock from an event loop, one slice of work at a time, with the loop's own work in between.

    If the simulation fails, it stops and `failed` is called: the state of the cluster is no longer consistent.
    """

    def __init__(self, pacing: Pacing) -> None:
        self.pacing = pacing
        self.failed: Callable[[Exception], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handle: asyncio.Handle | None = None
        self._waiting: asyncio.Task[None] | None = None
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
        work = Waiting(self.pacing.work)
        try:
            done = work.start()
        except Exception as error:
            self._fail(error)
            return
        if done:
            self._go_on(work.result)
        elif self._loop is not None:
            self.pacing.held = True
            self._waiting = self._loop.create_task(self._finish(work))

    async def _finish(self, work: Waiting[float | None]) -> None:
        """Waits for a webhook that an actor of the simulation calls; time stands still, but requests are served."""
        try:
            delay = await work.finish()
        except Exception as error:
            self._fail(error)
            return
        finally:
            self.pacing.held = False
            self._waiting = None
        self._go_on(delay)

    def _go_on(self, delay: float | None) -> None:
        if delay is not None:
            self._plan(delay)

    def _fail(self, error: Exception) -> None:
        if self.failed is None:
            raise error
        self.stop()
        self.failed(error)
