"""What runs beside the interface."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.waiting import run_waiting

T = TypeVar("T")


class SimulatedRuntime:
    """A simulation in the same thread, which advances between requests."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts its clock."""
        self._heartbeat.failed = failed
        self._heartbeat.start()

    def stop(self) -> None:
        """Stops its clock."""
        self._heartbeat.stop()

    async def call(self, function: Callable[[], T]) -> T:
        """Calls a function at the present virtual time; it may wait."""
        self._heartbeat.pacing.keep_up()
        try:
            return await run_waiting(function)
        finally:
            self._heartbeat.reschedule()


class OperatorLoop(Protocol):
    """An operator that runs in a thread of its own."""

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts it; `failed` is called, in its thread, if it fails."""

    def stop(self) -> None:
        """Stops it."""


class ThreadedRuntime:
    """An operator on a cluster over HTTP; `lock` is held by each thread that uses its client."""

    def __init__(self, loop: OperatorLoop, lock: AbstractContextManager[object]) -> None:
        self._loop = loop
        self._lock = lock

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts the operator."""
        self._loop.start(failed)

    def stop(self) -> None:
        """Stops the operator."""
        self._loop.stop()

    async def call(self, function: Callable[[], T]) -> T:
        """Calls a function in another thread, since requests to the cluster take time."""
        return await asyncio.to_thread(self._locked, function)

    def _locked(self, function: Callable[[], T]) -> T:
        with self._lock:
            return function()
