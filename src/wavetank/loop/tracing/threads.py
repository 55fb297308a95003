from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds
from wavetank.loop.tracing.followed import Followed
from wavetank.loop.tracing.waits import CLOCK_NANOSLEEP, FILES, NANOSLEEP, SHORT, Wait, read_wait


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
    held: bool = False  # it is stopped in its wait

    @property
    def is_sleep(self) -> bool:
        """Tells whether it sleeps for a time span, and not just for a moment."""
        wait = self.wait
        if wait is None or wait.timeout is None or wait.timeout <= SHORT:
            return False
        return wait.number in (NANOSLEEP, CLOCK_NANOSLEEP)

    @property
    def is_short_sleep(self) -> bool:
        """Tells whether it sleeps for a moment, as Go's sysmon does while anything runs, and shortly after."""
        wait = self.wait
        return wait is not None and wait.number == NANOSLEEP and wait.timeout is not None and wait.timeout <= SHORT


class Threads:
    """All threads of a program and of what it has started, by /proc.

    They are *quiet* when each waits in a system call, none has run between two polls, and all were asleep in between:
    a thread that was woken may stay in its system call for milliseconds before it gets a CPU. A poll costs a few
    microseconds per thread.
    """

    def __init__(self, followed: Followed) -> None:
        self._followed = followed
        self._threads: dict[int, _Thread] = {}
        self._last: list[tuple[int, bytes]] | None = None

    def look(self, now: Nanoseconds) -> bool:
        """Polls all threads once; True if they are quiet. New waits are taken to begin at `now`."""
        last, self._last = self._last, self._look(now)
        return self._last is not None and self._last == last

    def asleep(self) -> bool:
        """Tells whether no thread is awake, running or about to run."""
        try:
            return all(thread.is_short_sleep or thread.held or _sleeps(thread) for thread in self._threads.values())
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
                self._followed.end_wait(thread.tid, thread.wait.number, thread.wait.outcome)
                thread.due, thread.held = None, False

    def hold(self) -> None:
        """Stops threads that sleep for a time span: the kernel would end their sleep in real time."""
        for thread in self._threads.values():
            if thread.is_sleep and not thread.held:
                self._followed.hold(thread.tid)
                thread.held = True

    def close(self) -> None:
        """Closes all files."""
        for thread in list(self._threads.values()):
            self._drop(thread)

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
        """Returns all threads; one that has called exec has a new memory, and is opened again."""
        found = self._followed.threads
        for tid in self._threads.keys() & self._followed.take_executed() | self._threads.keys() - found.keys():
            self._drop(self._threads[tid])
        for tid in found.keys() - self._threads.keys():
            self._open(found[tid], tid)
        return list(self._threads.values())

    def _open(self, pid: int, tid: int) -> None:
        with suppress(OSError):  # it has ended already
            folder = f"/proc/{pid}/task/{tid}"
            call = os.open(f"{folder}/syscall", os.O_RDONLY)
            slices = os.open(f"{folder}/schedstat", os.O_RDONLY)
            status = os.open(f"{folder}/stat", os.O_RDONLY)
            memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
            self._threads[tid] = _Thread(pid, tid, memory, call, slices, status)

    def _drop(self, thread: _Thread) -> None:
        if self._threads.pop(thread.tid, None) is not None:
            os.close(thread.memory)
            os.close(thread.call)
            os.close(thread.slices)
            os.close(thread.status)

    def _look_at(self, thread: _Thread, now: Nanoseconds, seen: list[tuple[int, bytes]]) -> bool:
        """Polls one thread; False if it does not wait. Waits are added to `seen`, except for short ones.

        Short waits end again and again in real time; the thread reads its clock and waits again, without any effect
        while the clock stands still.
        """
        if thread.held:
            return self._look_at_held(thread, seen)
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

    def _look_at_held(self, thread: _Thread, seen: list[tuple[int, bytes]]) -> bool:
        """Polls a thread that is stopped in its sleep; a signal ends that."""
        if _has_signal(thread):
            self._followed.release(thread.tid)
            thread.held = False
            return False
        seen.append((thread.tid, b"held"))
        return True

    def _wait(self, thread: _Thread, number: int, arguments: list[int]) -> Wait | None:
        if number in FILES and os.readlink(f"/proc/{thread.pid}/fd/{arguments[0]}").startswith("/"):
            return None  # a file on disk answers at once
        return read_wait(number, arguments, thread.memory)


def _has_signal(thread: _Thread) -> bool:
    with open(f"/proc/{thread.pid}/task/{thread.tid}/status", "rb") as file:
        pending = [int(line.split()[1], 16) for line in file if line.startswith((b"SigPnd:", b"ShdPnd:"))]
    return any(pending)


def _sleeps(thread: _Thread) -> bool:
    text = os.pread(thread.status, 200, 0)
    return text[text.rindex(b")") + 2] == ord("S")


def _due(wait: Wait | None, now: Nanoseconds) -> Nanoseconds | None:
    if wait is None:
        return None
    return now + wait.timeout if wait.timeout is not None else wait.due
