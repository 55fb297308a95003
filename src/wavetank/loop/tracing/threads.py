from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds
from wavetank.loop.tracing.tracing import end_wait
from wavetank.loop.tracing.waits import FILES, NANOSLEEP, SHORT, Wait, read_wait


@dataclass
class _Thread:
    """A thread, its files in /proc, and the wait that it was last seen in."""

    pid: int
    tid: int
    memory: int
    call: int
    slices: int
    status: int
    seen: tuple[bytes, bytes] = (b"", b"")  # number of time slices and system call when it was last polled
    wait: Wait | None = None
    due: Nanoseconds | None = None

    @property
    def is_short_sleep(self) -> bool:
        """Tells whether it sleeps for a moment, as Go's sysmon does while anything runs, and shortly after."""
        wait = self.wait
        return wait is not None and wait.number == NANOSLEEP and wait.timeout is not None and wait.timeout <= SHORT


class Threads:
    """All threads of some processes, by /proc.

    They are *quiet* when each waits in a system call, none has run between two polls, and all were asleep in between:
    a thread that was woken may stay in its system call for milliseconds before it gets a CPU. A poll costs a few
    microseconds per thread.
    """

    def __init__(self, pids: Sequence[int]) -> None:
        self._memory = {pid: os.open(f"/proc/{pid}/mem", os.O_RDONLY) for pid in pids}
        self._threads: dict[int, _Thread] = {}
        self._last: list[tuple[int, bytes]] | None = None

    def look(self, now: Nanoseconds) -> bool:
        """Polls all threads once; True if they are quiet. New waits are taken to begin at `now`."""
        last, self._last = self._last, self._look(now)
        return self._last is not None and self._last == last

    def asleep(self) -> bool:
        """Tells whether no thread is awake, running or about to run."""
        try:
            return all(thread.is_short_sleep or _sleeps(thread) for thread in self._threads.values())
        except (OSError, ValueError):  # one has just ended
            return False

    def forget(self) -> None:
        """Requires two more polls, since something may have happened."""
        self._last = None

    @property
    def due(self) -> Nanoseconds | None:
        """Returns when the first wait is over."""
        return min((thread.due for thread in self._threads.values() if thread.due is not None), default=None)

    def end_waits(self, now: Nanoseconds) -> None:
        """Ends all waits that are over by now."""
        for thread in self._threads.values():
            if thread.due is not None and thread.due <= now and thread.wait is not None:
                end_wait(thread.tid, thread.wait.number, thread.wait.outcome)
                thread.due = None

    def close(self) -> None:
        """Closes all files."""
        for thread in list(self._threads.values()):
            self._drop(thread)
        for memory in self._memory.values():
            os.close(memory)
        self._memory.clear()

    def _look(self, now: Nanoseconds) -> list[tuple[int, bytes]] | None:
        seen: list[tuple[int, bytes]] = []
        for thread in self._all():
            try:
                quiet = self._look_at(thread, now, seen)
            except (OSError, IndexError):  # it has just ended
                self._drop(thread)
                return None
            if not quiet:
                return None
        return seen

    def _all(self) -> list[_Thread]:
        found: set[int] = set()
        for pid in self._memory:
            with suppress(FileNotFoundError):  # a child has ended
                found.update(int(name) for name in os.listdir(f"/proc/{pid}/task"))
                for tid in found - self._threads.keys():
                    self._open(pid, tid)
        for tid in self._threads.keys() - found:
            self._drop(self._threads[tid])
        return list(self._threads.values())

    def _open(self, pid: int, tid: int) -> None:
        with suppress(OSError):  # it has ended already
            folder = f"/proc/{pid}/task/{tid}"
            call = os.open(f"{folder}/syscall", os.O_RDONLY)
            slices = os.open(f"{folder}/schedstat", os.O_RDONLY)
            status = os.open(f"{folder}/stat", os.O_RDONLY)
            self._threads[tid] = _Thread(pid, tid, self._memory[pid], call, slices, status)

    def _drop(self, thread: _Thread) -> None:
        if self._threads.pop(thread.tid, None) is not None:
            os.close(thread.call)
            os.close(thread.slices)
            os.close(thread.status)

    def _look_at(self, thread: _Thread, now: Nanoseconds, seen: list[tuple[int, bytes]]) -> bool:
        """Polls one thread; False if it does not wait. Waits are added to `seen`, except for short ones.

        Short waits end again and again in real time; the thread reads its clock and waits again, without any effect
        while the clock stands still.
        """
        slices = os.pread(thread.slices, 100, 0).split()[2]  # read first: a thread that runs in between has more
        call = os.pread(thread.call, 300, 0)
        words = call.split()
        if len(words) < 7:
            return False  # "running", or stopped in its own code
        if thread.seen != (slices, call):
            thread.seen = (slices, call)
            thread.wait = self._wait(thread, int(words[0]), [int(word, 16) for word in words[1:7]])
            thread.due = _due(thread.wait, now)
        if thread.wait is None:
            return False
        timeout = thread.wait.timeout
        if timeout is None or timeout > SHORT:
            seen.append((thread.tid, slices))
        elif thread.is_short_sleep:
            thread.due = None
            return True
        return timeout != 0

    def _wait(self, thread: _Thread, number: int, arguments: list[int]) -> Wait | None:
        if number in FILES and os.readlink(f"/proc/{thread.pid}/fd/{arguments[0]}").startswith("/"):
            return None  # a file on disk answers at once
        return read_wait(number, arguments, thread.memory)


def _sleeps(thread: _Thread) -> bool:
    text = os.pread(thread.status, 200, 0)
    return text[text.rindex(b")") + 2] == ord("S")


def _due(wait: Wait | None, now: Nanoseconds) -> Nanoseconds | None:
    if wait is None:
        return None
    return now + wait.timeout if wait.timeout is not None else wait.due
