"""Waiting for conditions, never for a time: deadlines only keep a broken test from hanging."""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

PATIENCE_S = 300.0

T = TypeVar("T")


def eventually(condition: Callable[[], T], problem: str | Callable[[], str] = "it never came true") -> T:
    """Asks until the answer is true, and returns it; fails with the problem after a long time."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline, problem if isinstance(problem, str) else problem()
        time.sleep(0.02)
    return found


def run_in_virtual_time(scenario: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine; whenever nothing else is left to do, the loop's clock moves on to the next timer."""
    with asyncio.Runner(loop_factory=_VirtualTimeLoop) as runner:
        runner.run(scenario)


class _Selector(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "nothing is left that could wake the loop"
            self.now += timeout
        return ready


class _VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now
