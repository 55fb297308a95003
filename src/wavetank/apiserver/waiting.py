"""Waiting inside plain functions: the API and the simulation are synchronous, the server that calls them is not.

A function that runs in a greenlet may wait for something asynchronous; control returns to the event loop meanwhile.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from time import perf_counter
from typing import Any, Generic, TypeVar

from greenlet import getcurrent, greenlet

from wavetank.kernel.discards import collecting_discards, free_in_pieces, free_large_by

T = TypeVar("T")

_LIGHT = 32 * 1024  # bytes that are looked at within a few milliseconds
_SMALL = 512 * 1024  # bytes that are looked at within about a second
_SLOW = 16 * 1024 * 1024  # bytes that may take minutes
_SLICE_S = 0.005
_SHORT_S = 0.0005  # of work that does not wait for the slices of others
HEAVIEST = 1 << 40  # the weight of what is heavy in any case
_FREED_AFTER_S = 0.1  # when nothing else has the results of a call any more, such as an exception's traceback
_WRITES = 16  # of an event between two breaks: a few milliseconds


class _ThreadState(threading.local):
    is_heavy = False


_thread_state = _ThreadState()


class Breaks:
    """The breaks in long events of a simulation, in which the event loop goes on; no other event runs meanwhile.

    An event takes one after every few writes, always at the same writes, so that it can be repeated with its breaks.
    `taken` is how many there were, `is_open` tells whether there is one now.
    """

    def __init__(self) -> None:
        self.taken = 0
        self.is_open = False
        self._writes = 0

    def begin(self) -> None:
        """Begins a new event."""
        self._writes = 0

    def wrote(self) -> None:
        """Takes a break, if it is time for one; in a function that may wait."""
        self._writes += 1
        if self._writes == _WRITES:
            self._writes = 0
            self.taken += 1
            self.is_open = True
            try:
                wait_for(asyncio.sleep(0))
            finally:
                self.is_open = False


class Waiting(Generic[T]):
    """A call of a function that may wait; `result` is what it returns, once it is `done`.

    `breaks` are those that it takes, if it runs events of a simulation.
    """

    result: T

    def __init__(self, function: Callable[[], T], breaks: Breaks | None = None) -> None:
        self._greenlet = _Waiter(function)
        self._greenlet.breaks = breaks
        self._awaited: Awaitable[Any] | None = None

    def start(self) -> bool:
        """Runs it until it waits or ends; returns whether it is done. Its exceptions are raised here."""
        return self._run(self._greenlet.switch)

    async def finish(self) -> T:
        """Runs it to its end."""
        while self._awaited is not None:
            await self.go_on()
        return self.result

    async def go_on(self) -> bool:
        """Runs it until it waits again or ends; returns whether it is done."""
        assert self._awaited is not None
        try:
            value = await self._awaited
        except Exception as error:
            return self._run(self._greenlet.throw, error)
        return self._run(self._greenlet.switch, value)

    def _run(self, switch: Callable[..., Any], *values: Any) -> bool:
        try:
            value = switch(*values)
        finally:
            if self._greenlet.dead and self._greenlet.results:
                asyncio.get_running_loop().call_later(_FREED_AFTER_S, _free, self._greenlet.results)
        if self._greenlet.dead:
            self.result, self._awaited = value, None
            return True
        self._awaited = value
        return False


class _Waiter(greenlet):
    """A call that may wait; `results` are those of its heavy functions, which it keeps: they are freed in pieces."""

    breaks: Breaks | None = None

    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__(function)
        self.results: list[Any] = []


def may_wait() -> bool:
    """Tells whether the calling function may wait."""
    return isinstance(getcurrent(), _Waiter)


def break_after_write() -> None:
    """Counts a write, and takes a break if it is time for one, if the caller is an event of a served simulation."""
    current = getcurrent()
    if isinstance(current, _Waiter) and current.breaks is not None:
        current.breaks.wrote()


def run_beside(function: Callable[[], T], weight: int) -> T:
    """Runs a function without side effects; a heavy one in a thread, if the caller may wait, so that the loop goes on.

    `weight` is about the number of bytes that it looks at. Events of a simulation have a thread of their own, so that
    no requests keep them waiting.
    """
    current = getcurrent()
    if not is_heavy(weight) or not isinstance(current, _Waiter):
        return function()
    thread = _thread(_lane(weight)) if current.breaks is None else _thread("events")
    result = wait_for(_run_in(thread, function))
    current.results.append(result)
    return result


async def beside(function: Callable[[], T]) -> T:
    """Runs a function without side effects in a thread."""
    return await _run_in(_thread(_lane(HEAVIEST)), function)


async def _run_in(thread: ThreadPoolExecutor, function: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(thread, _run_heavy, function)


def runs_beside() -> bool:
    """Tells whether the caller runs in a thread for heavy functions."""
    return _thread_state.is_heavy


def _run_heavy(function: Callable[[], T]) -> T:
    _thread_state.is_heavy = True
    with collecting_discards() as discarded:
        try:
            return function()
        finally:
            _free(discarded)


def free_large_later() -> None:
    """Lets what is very large and discarded in this event loop be freed in pieces, once nothing else has it."""
    loop = asyncio.get_running_loop()
    free_large_by(lambda values: loop.call_later(_FREED_AFTER_S, _free, values))


def _free(values: list[Any]) -> None:
    if values:
        _thread("freeing").submit(free_in_pieces, values)


def _lane(weight: int) -> str:
    """Returns the name of the thread for requests of a weight: small ones do not wait for those that take minutes."""
    if weight <= _SMALL:
        return "small"
    return "slow" if _SLOW < weight < HEAVIEST else "large"


@cache
def _thread(name: str) -> ThreadPoolExecutor:
    """Returns a thread for heavy functions; there are few, since the event loop takes turns with all that are at work.

    Besides those for requests there is one for events of a simulation, and one that frees large values.
    """
    return ThreadPoolExecutor(1, thread_name_prefix=f"heavy-{name}")


class _Slices:
    """The slices of all callers in one tick of an event loop, which take no longer than one of them, or two."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._end: float | None = None  # of the slices of this tick, if one has begun
        self._next: deque[asyncio.Future[None]] = deque()
        self._ticks = False

    @property
    def is_used_up(self) -> bool:
        """Tells whether there is no time left in this tick, or others wait for the next one."""
        return bool(self._next) or (self._end is not None and perf_counter() >= self._end)

    def next(self) -> asyncio.Future[None]:
        """Returns what to wait for before a slice in one of the next ticks."""
        self._next.append(self.loop.create_future())
        self._begin_ticking()
        return self._next[-1]

    def begin(self) -> float:
        """Begins a slice; returns when it ends."""
        now = perf_counter()
        if self._end is None or self._end < now:
            self._end = now + _SLICE_S
        self._begin_ticking()
        return self._end

    def _begin_ticking(self) -> None:
        if not self._ticks:
            self._ticks = True
            self.loop.call_soon(self._tick)

    def _tick(self) -> None:
        self._end = None
        while self._next and self._next[0].done():  # its request has been cancelled
            self._next.popleft()
        self._ticks = bool(self._next)
        if self._ticks:
            self.loop.call_soon(self._tick)
            self._next.popleft().set_result(None)


_slices: _Slices | None = None


def _slices_of_loop() -> _Slices:
    global _slices
    loop = asyncio.get_running_loop()
    if _slices is None or _slices.loop is not loop:
        _slices = _Slices(loop)
    return _slices


def in_slices(items: Iterable[T]) -> Iterator[T]:
    """Yields items; the event loop goes on between two of them every few milliseconds, if the caller may wait.

    A caller with few items waits for no other one.
    """
    if not may_wait():
        yield from items
        return
    end = perf_counter() + min(_SHORT_S, _SLICE_S)
    for item in items:
        yield item
        if perf_counter() > end:
            slices = _slices_of_loop()
            wait_for(slices.next())
            end = slices.begin()


def begin_slice() -> None:
    """Waits, if the caller may, until others have not used up this tick of the loop."""
    if may_wait():
        wait_for(slice_begun())


async def slice_begun() -> None:
    """Waits until others have not used up this tick of the loop."""
    slices = _slices_of_loop()
    if slices.is_used_up:
        await slices.next()
    slices.begin()


def is_heavy(weight: int) -> bool:
    """Tells whether looking at so many bytes would keep other clients waiting."""
    return weight > _LIGHT


def wait_for(awaitable: Awaitable[T]) -> T:
    """Waits in a function that may; the event loop goes on in the meantime."""
    parent = getcurrent().parent
    assert parent is not None
    result: T = parent.switch(awaitable)
    return result


async def run_waiting(function: Callable[[], T]) -> T:
    """Runs a function that may wait."""
    call = Waiting(function)
    return call.result if call.start() else await call.finish()
