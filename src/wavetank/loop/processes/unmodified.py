from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence

from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.process import Start, begin, end_group, how_ended, plain_environment, tail_of
from wavetank.loop.tracing.clockpage import ClockPage
from wavetank.loop.tracing.threads import Threads
from wavetank.loop.tracing.tracing import Followed, ask_for_tracing
from wavetank.loop.transport.inflight import InFlight
from wavetank.loop.transport.listener import Listener

_LOOKS = 20  # polls before it sleeps between them, to leave the CPU to the program
_PAUSE_S = 0.0002
# Its waits are over at multiples of this: each look at its clock adds a nanosecond, and how often it looks is chance.
_GRAIN: Nanoseconds = 10_000


class UnmodifiedProcess:
    """Any unmodified program, on virtual time and in turns with the simulation: Linux on x86-64 only, nearly exact.

    Its clock is a shared page of memory. It is quiet when all its threads wait, by /proc, and no byte is on its way to
    or from it; waits that are over in virtual time are ended through ptrace. Until its first connection it is traced
    through everything that it starts (a shell, `env`, a shim), and its clock runs in real time.

    Waits until a time of the clock never end too early. Waits for a number of milliseconds are also counted by the
    kernel, in real time: one that is over there first ends too early, unless the program checks its clock.
    """

    def __init__(self, name: str, start: Start, listeners: Sequence[Listener]) -> None:
        self.name = name
        self._listeners = listeners
        self._patience_s = start.patience_s
        self._log = start.log
        self._threads: Threads | None = None
        self._network = InFlight(listeners)
        self._page = ClockPage(start.now)
        self._begun = time.monotonic()
        self._start = start.now
        environment = {**plain_environment(), **start.environment, "GOMAXPROCS": "1"}
        try:
            self._process = begin(name, start, environment, self._page.fd, prepare=ask_for_tracing)
        except ProcessError:
            self._network.close()
            self._page.close()
            raise
        self._followed = Followed(self._process.pid)
        try:
            self._page.install(self._followed.first())
        except OSError as error:
            self.close()
            raise ProcessError(name, f"cannot be put on virtual time: {error}") from None
        self._followed.go_on(self._followed.first())

    def set_clock(self, now: Nanoseconds) -> None:
        """Sets its clock, before anything is sent to it."""
        self._page.advance(now)

    def resume(self, now: Nanoseconds) -> None:
        """Ends the waits that are over; it runs if it has anything to do."""
        self._page.advance(now)
        assert self._threads is not None
        self._threads.end_waits(now)

    def wait(self) -> Nanoseconds | None:
        """Waits until all threads wait; returns when the first wait is over, None if never."""
        deadline = time.monotonic() + self._patience_s
        if self._threads is None:
            self._threads = self._connect(deadline)
        threads, looks = self._threads, 0
        threads.forget()
        while not self._is_quiet(threads):
            looks += 1
            if looks < _LOOKS:
                os.sched_yield()
                continue
            self._check(deadline)
            time.sleep(_PAUSE_S)
        self._check(deadline)
        due = threads.due
        return None if due is None else -(-due // _GRAIN) * _GRAIN

    def _is_quiet(self, threads: Threads) -> bool:
        """Tells whether nothing runs: what has arrived has woken its reader, who is no longer asleep then."""
        now = self._page.now
        return threads.look(now) and not self._network.any() and threads.asleep() and threads.look(now)

    def _check(self, deadline: float) -> None:
        for listener in self._listeners:
            listener.accept()
        if self._process.poll() is not None:
            raise self._ended(self._process.returncode)
        if time.monotonic() > deadline:
            problem = f"has run for {self._patience_s:g} s without getting quiet (a busy loop?)"
            raise ProcessError(self.name, problem, self.tail())

    def _connect(self, deadline: float) -> Threads:
        """Traces it until it has made a connection."""
        poll = select.poll()
        for listener in self._listeners:
            poll.register(listener.socket, select.POLLIN)
        while not poll.poll(1):
            self._page.advance(self._start + seconds(time.monotonic() - self._begun))
            while (program := self._followed.next_exec()) is not None:
                self._page.install(program)
                self._followed.go_on(program)
            if self._followed.ended is not None:
                raise self._ended(os.waitstatus_to_exitcode(self._followed.ended))
            if time.monotonic() > deadline:
                problem = f"has not connected to the API within {self._patience_s:g} s"
                raise ProcessError(self.name, problem, self.tail())
        self._followed.release()
        return Threads(self._followed.pids)

    def _ended(self, status: int) -> ProcessError:
        return ProcessError(self.name, how_ended(status), self.tail())

    def tail(self) -> str:
        """Returns the last lines of its log."""
        return tail_of(self._log)

    def close(self) -> None:
        """Ends its process group."""
        end_group(self._process)
        if self._threads is not None:
            self._threads.close()
        self._network.close()
        self._page.close()
