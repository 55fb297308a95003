from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable
from contextlib import suppress

from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.errors import StatusError, internal
from wavetank.apiserver.waiting import Waiting
from wavetank.errors import SchedulerError, WavetankError

_log = logging.getLogger("wavetank.apiserver")


class Heartbeat:
    """Advances the clock from an event loop, one slice of work at a time, with the loop's own work in between.

    If a scheduler of the user fails, it stops and `failed` is called. Any other error of an actor is logged, and the
    simulation goes on with the next event: no request of a client may end the server. `keep` is called after each slice
    and before each answer, and keeps what was written; if it says so, also the time.
    """

    def __init__(self, pacing: Pacing, keep: Callable[[bool], None] | None = None) -> None:
        self.pacing = pacing
        self._keep = keep
        self.failed: Callable[[Exception], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handle: asyncio.Handle | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._logged: set[tuple[str, int | None]] = set()
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

    def commit(self, with_time: bool = False) -> None:
        """Keeps what was written, before it is answered; if that fails, the server ends and StatusError says why."""
        if self._keep is None:
            return
        try:
            self._keep(with_time)
        except WavetankError as error:
            self.stop()
            if self.failed is not None:
                self.failed(error)
            raise internal(str(error)) from None

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
        work = Waiting(self.pacing.work, self.pacing.breaks)
        try:
            done = work.start()
        except Exception as error:
            self._fail(error)
            return
        if done:
            self._go_on(work.result)
        elif self._loop is not None:
            self._waiting = self._loop.create_task(self._finish(work))

    async def _finish(self, work: Waiting[float | None]) -> None:
        """Goes on after a break of an event, or after what it waits for; requests are served while its time stands."""
        try:
            while not await work.go_on():
                with suppress(StatusError):  # the server ends
                    self.commit()
        except Exception as error:
            self._fail(error)
            return
        finally:
            self._waiting = None
        self._go_on(work.result)

    def _go_on(self, delay: float | None) -> None:
        with suppress(StatusError):  # the server ends
            self.commit()
        if delay is not None:
            self._plan(delay)

    def _fail(self, error: Exception) -> None:
        if self.failed is None:
            raise error
        if isinstance(error, SchedulerError):
            self.stop()
            self.failed(error)
            return
        self._log_once(error)
        self._go_on(0.0)

    def _log_once(self, error: Exception) -> None:
        """Logs an error, with its traceback the first time that it happens at this place."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        first = (place.filename, place.lineno) not in self._logged
        self._logged.add((place.filename, place.lineno))
        _log.error("an event of the simulation failed: %r", error, exc_info=error if first else None)
