"""System calls in which a thread waits, and their timeouts."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from errno import EAGAIN, ETIMEDOUT

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.durations import SECOND, Nanoseconds

_EPOCH = EPOCH_SECONDS * SECOND
_MILLISECOND = SECOND // 1000
_FUTEX_OPERATION, _FUTEX_WAIT, _FUTEX_BITSET = 0x7F, 0, 9
_ABSOLUTE = 1
_TIMES = struct.Struct("<qq")

READ, RECVFROM, RECVMSG, NANOSLEEP, CLOCK_NANOSLEEP, FUTEX = 0, 45, 47, 35, 230, 202
FILES = (READ, RECVFROM, RECVMSG)  # waits only if the other end is not a disk

SHORT = 10 * _MILLISECOND  # waits that can be over in real time between two polls

Memory = int  # an open /proc/PID/mem


@dataclass(frozen=True)
class Wait:
    """A system call that waits: its timeout, and its result when that is over.

    `timeout` counts from its beginning, `due` is a time of the clock; if both are None it waits forever.
    """

    number: int
    timeout: Nanoseconds | None = None
    due: Nanoseconds | None = None
    outcome: int = 0


def read_wait(number: int, arguments: list[int], memory: Memory) -> Wait | None:
    """Reads the system call of a thread; None if it does not wait."""
    if number in _FOREVER:
        return Wait(number)
    if number in _MILLISECONDS:
        return Wait(number, _milliseconds(arguments[_MILLISECONDS[number]]))
    if number in _TIMESPECS:
        place, outcome = _TIMESPECS[number]
        return Wait(number, _time(arguments[place], memory), outcome=outcome)
    reader = _OTHERS.get(number)
    return reader(arguments, memory) if reader else None


def _milliseconds(value: int) -> Nanoseconds | None:
    value &= 0xFFFF_FFFF
    return None if value >> 31 else value * _MILLISECOND


def _time(address: int, memory: Memory, unit: int = 1) -> Nanoseconds | None:
    if not address:
        return None
    seconds, rest = _TIMES.unpack(os.pread(memory, _TIMES.size, address))
    return int(seconds) * SECOND + int(rest) * unit


def _select(arguments: list[int], memory: Memory) -> Wait:
    return Wait(23, _time(arguments[4], memory, 1000))


def _epoll_pwait(arguments: list[int], memory: Memory) -> Wait:
    """Reads Go's wait until its next timer, which Go rounds down to milliseconds, or up to the first.

    One more millisecond makes sure that the timer is due, at most a millisecond late; otherwise Go would wait twice.
    """
    timeout = _milliseconds(arguments[3])
    return Wait(281, timeout + _MILLISECOND if timeout and timeout > _MILLISECOND else timeout)


def _clock_nanosleep(arguments: list[int], memory: Memory) -> Wait:
    time = _time(arguments[2], memory)
    return _until(CLOCK_NANOSLEEP, time) if arguments[1] & _ABSOLUTE else Wait(CLOCK_NANOSLEEP, time)


def _futex(arguments: list[int], memory: Memory) -> Wait | None:
    operation = arguments[1] & _FUTEX_OPERATION
    if operation not in (_FUTEX_WAIT, _FUTEX_BITSET):
        return None
    time = _time(arguments[3], memory)
    return Wait(FUTEX, time, outcome=-ETIMEDOUT) if operation == _FUTEX_WAIT else _until(FUTEX, time, -ETIMEDOUT)


def _futex_waitv(arguments: list[int], memory: Memory) -> Wait:
    return _until(449, _time(arguments[3], memory), -ETIMEDOUT)


def _until(number: int, time: Nanoseconds | None, outcome: int = 0) -> Wait:
    return Wait(number, due=None if time is None else time - _EPOCH, outcome=outcome)


# accept, accept4, wait4, waitid, pause, rt_sigsuspend
_FOREVER = frozenset({READ, RECVFROM, RECVMSG, 43, 288, 61, 247, 34, 130})
# poll, epoll_wait: index of the timeout argument
_MILLISECONDS = {7: 2, 232: 3}
# ppoll, pselect6, nanosleep, rt_sigtimedwait, epoll_pwait2: index of the timeout argument, and the result
_TIMESPECS = {271: (2, 0), 270: (4, 0), NANOSLEEP: (0, 0), 128: (2, -EAGAIN), 441: (3, 0)}
_OTHERS: dict[int, Callable[[list[int], Memory], Wait | None]] = {
    23: _select,
    281: _epoll_pwait,
    CLOCK_NANOSLEEP: _clock_nanosleep,
    FUTEX: _futex,
    449: _futex_waitv,
}
