"""Following a program through everything that it starts, with ptrace."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from wavetank.loop.tracing.tracing import WALL, Stopped, ask_to_stop

_GRACE_S = 5.0  # for killed processes to end
_PAUSE_S = 0.001
_STOPPED = signal.SIGSTOP << 8 | 0x7F  # status of a thread that is stopped by SIGSTOP


class Followed:
    """A program that is traced from its first instruction on, with all threads and processes that it starts.

    A traced thread stops when it starts another one, has called exec, or receives a signal; `go_on` continues it. Every
    program that is executed is passed to `prepare` at its first instruction. Only the thread of this process that has
    started the program may use this.
    """

    def __init__(self, pid: int, prepare: Callable[[Stopped], None]) -> None:
        self.threads = {pid: pid}  # the process of each thread
        self.ended: int | None = None  # status of the first process, if it has ended
        self._executed: set[int] = set()
        self._held: set[int] = set()
        self._first = pid
        self._prepare = prepare
        os.waitpid(pid, WALL)
        program = Stopped(pid)
        program.follow()
        prepare(program)
        program.go_on()

    def go_on(self) -> bool:
        """Continues all threads that have stopped, and forgets those that have ended; False if there were none."""
        found = False
        for tid in list(self.threads):
            while tid in self.threads:
                status = _next_status(tid)
                if status is None:
                    break
                found = True
                self._handle(tid, status)
        return found

    def take_executed(self) -> set[int]:
        """Returns the threads that have called exec since the last time."""
        executed, self._executed = self._executed, set()
        return executed

    def hold(self, tid: int) -> None:
        """Stops a thread in its system call, so that no time-out ends it, until `end_wait`."""
        if tid not in self._held and self._stop(tid):
            self._held.add(tid)

    def release(self, tid: int) -> None:
        """Lets a thread that was held take a signal."""
        if tid in self._held:
            self._held.discard(tid)
            self._handle(tid, _STOPPED)

    def end_wait(self, tid: int, number: int, outcome: int) -> None:
        """Ends the system call in which a thread waits, as if its timeout were over, if it still waits there."""
        if tid in self._held or self._stop(tid):
            self._held.discard(tid)
            with suppress(ProcessLookupError):  # it was killed
                Stopped(tid).end_call(number, outcome)
                Stopped(tid).go_on()

    def end(self) -> None:
        """Kills everything that is left, and waits for it."""
        deadline = time.monotonic() + _GRACE_S
        self._held.clear()
        while self.threads and time.monotonic() < deadline:
            for pid in set(self.threads.values()):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with suppress(FileNotFoundError):
                    self.threads.update((int(name), pid) for name in os.listdir(f"/proc/{pid}/task"))
            if not self._reap():
                time.sleep(_PAUSE_S)

    def _reap(self) -> bool:
        found = False
        for tid in list(self.threads):
            status = _next_status(tid)
            if status is not None and not os.WIFSTOPPED(status):
                self._forget(tid, status)
                found = True
        return found

    def _stop(self, tid: int) -> bool:
        """Stops a thread, in whatever it does; False if it has ended."""
        if tid not in self.threads:
            return False
        ask_to_stop(self.threads[tid], tid)
        while tid in self.threads:
            status = _next_status(tid, 0)
            assert status is not None
            if os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGSTOP:
                return True
            self._handle(tid, status)
        return False

    def _handle(self, tid: int, status: int) -> None:
        if not os.WIFSTOPPED(status):
            self._forget(tid, status)
            return
        with suppress(ProcessLookupError):  # it was killed in the meantime
            self._continue(Stopped(tid), os.WSTOPSIG(status), has_started=bool(status >> 16))

    def _continue(self, thread: Stopped, number: int, has_started: bool) -> None:
        if has_started:
            self._add(thread.started(), self.threads[thread.tid])
            thread.go_on()
        elif number == signal.SIGTRAP:  # the end of an exec
            self._executed.add(thread.tid)
            self._prepare(thread)
            thread.go_on()
        else:
            thread.restart_whole()
            thread.go_on(0 if number == signal.SIGSTOP else number)  # every new thread begins with a SIGSTOP

    def _add(self, tid: int, starter: int) -> None:
        self.threads[tid] = starter if os.path.exists(f"/proc/{starter}/task/{tid}") else tid

    def _forget(self, tid: int, status: int) -> None:
        self.threads.pop(tid, None)
        self._held.discard(tid)
        if tid == self._first:
            self.ended = status


def _next_status(tid: int, options: int = os.WNOHANG) -> int | None:
    """Returns how a thread has stopped or ended; None if it has not since the last time."""
    try:
        found, status = os.waitpid(tid, WALL | options)
    except ChildProcessError:
        return 0  # it has become another one, by an exec
    return status if found else None
