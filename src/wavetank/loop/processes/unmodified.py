from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence

from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.process import Start, begin, end_group, how_ended, plain_environment, tail_of
from wavetank.loop.tracing.clockpage import ClockPage
from wavetank.loop.tracing.followed import Followed
from wavetank.loop.tracing.threads import Threads
from wavetank.loop.tracing.tracing import ask_for_tracing
from wavetank.loop.transport.inflight import InFlight
from wavetank.loop.transport.listener import Listener

_LOOKS = 20  # polls before it sleeps between them, to leave the CPU to the program
_PAUSE_S = 0.0002
# Its waits are over at multiples of this: each look at its clock adds a nanosecond, and how often it looks is chance.
_GRAIN: Nanoseconds = 10_000
# Its start takes this long on its clock, so that timers of whole seconds do not fall on the instants of a workload.
_START_UP: Nanoseconds = 123_450_000


class UnmodifiedProcess:
    """Any unmodified program, on virtual time and in turns with the simulation: Linux on x86-64 only, nearly exact.

    Its clock is a shared page of memory. It is quiet when all its threads wait, by /proc, and no byte is on its way to
    or from it; waits that are over in virtual time are ended through ptrace. It is traced through everything that it
    starts (a shell, `env`, a pipeline). Until its first connection its clock runs in real time while it waits, and
    stands still while it runs.

    Waits until a time of the clock and sleeps never end too early. Other waits for a number of milliseconds are also
    counted by the kernel, in real time: one that is over there first ends too early, unless the program checks its
    clock.
    """

    def __init__(self, name: str, start: Start, listeners: Sequence[Listener]) -> None:
        self.name = name
        self._listeners = listeners
        self._patience_s = start.patience_s
        self._log = start.log
        self._connected = False
        self._went_on = False  # something had stopped because it had started something, at the last look
        self._network = InFlight(listeners)
        self._page = ClockPage(start.now + _START_UP)
        environment = {**plain_environment(), **start.environment, "GOMAXPROCS": "1"}
        try:
            self._process = begin(name, start, environment, prepare=ask_for_tracing)
        except ProcessError:
            self._network.close()
            self._page.close()
            raise
        try:
            self._followed = Followed(self._process.pid, self._page.install)
        except OSError as error:
            self._close()
            raise ProcessError(name, f"cannot be put on virtual time: {error}") from None
        self._threads = Threads(self._followed)

    def set_clock(self, now: Nanoseconds) -> None:
        """Sets its clock, before anything is sent to it."""
        self._page.advance(now)

    def resume(self, now: Nanoseconds) -> None:
        """Ends the waits that are over; it runs if it has anything to do."""
        self._page.advance(now)
        self._threads.end_waits(now)

    def wait(self) -> Nanoseconds | None:
        """Waits until all threads wait; returns when the first wait is over, None if never."""
        deadline = time.monotonic() + self._patience_s
        if not self._connected:
            self._connect(deadline)
        looks = 0
        self._threads.forget()
        while not self._is_quiet():
            looks = 0 if self._went_on else looks + 1
            if looks < _LOOKS:
                os.sched_yield()
                continue
            self._check(deadline)
            time.sleep(_PAUSE_S)
        self._check(deadline)
        self._threads.hold()
        due = self._threads.due
        return None if due is None else -(-due // _GRAIN) * _GRAIN

    def _is_quiet(self) -> bool:
        """Tells whether nothing runs: what has arrived has woken its reader, which is no longer asleep then."""
        self._went_on = self._go_on()
        if self._went_on:
            return False
        threads, now = self._threads, self._page.now
        return threads.look(now) and not self._network.any() and threads.asleep() and threads.look(now)

    def _go_on(self) -> bool:
        """Continues what has stopped because it has started something; False if nothing has."""
        try:
            return self._followed.go_on()
        except OSError as error:
            problem = f"has started a program that cannot be put on virtual time: {error}"
            raise ProcessError(self.name, problem, self.tail()) from None

    def _check(self, deadline: float) -> None:
        for listener in self._listeners:
            listener.accept()
        self._check_alive()
        if time.monotonic() > deadline:
            problem = f"has run for {self._patience_s:g} s without getting quiet (a busy loop?)"
            raise ProcessError(self.name, problem, self.tail())

    def _check_alive(self) -> None:
        if self._followed.ended is not None:
            problem = how_ended(os.waitstatus_to_exitcode(self._followed.ended))
            raise ProcessError(self.name, problem, self.tail())

    def _connect(self, deadline: float) -> None:
        """Waits until it has made a connection."""
        poll = select.poll()
        for listener in self._listeners:
            poll.register(listener.socket, select.POLLIN)
        before = time.monotonic()
        while not poll.poll(1):
            after = time.monotonic()
            if not self._go_on() and self._threads.look(self._page.now) and self._threads.asleep():
                self._pass_time(seconds(after - before))
            before = after
            self._check_alive()
            if time.monotonic() > deadline:
                problem = f"has not connected to the API within {self._patience_s:g} s"
                raise ProcessError(self.name, problem, self.tail())
        self._connected = True

    def _pass_time(self, elapsed: Nanoseconds) -> None:
        """Advances the clock by what has passed in real time, but not beyond the first wait, which ends then."""
        now, due = self._page.now + elapsed, self._threads.due
        self.resume(now if due is None else min(now, due))

    def tail(self) -> str:
        """Returns the last lines of its log."""
        return tail_of(self._log)

    def close(self) -> None:
        """Ends it and everything that it has started."""
        self._followed.end()
        self._threads.close()
        self._close()

    def _close(self) -> None:
        end_group(self._process)
        self._network.close()
        self._page.close()
