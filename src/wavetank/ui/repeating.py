from __future__ import annotations

import asyncio
import time

from wavetank.apiserver.waiting import Breaks, Waiting
from wavetank.kernel.clock import Clock

_SLICE_S = 0.01  # between which other requests are served


class RepeatedEvents:
    """Repeats the events of a simulation, step by step: a step ends with an event, or with a break in it."""

    def __init__(self, clock: Clock) -> None:
        self.steps = 0
        self._clock = clock
        self._breaks = Breaks()
        self._event: Waiting[bool] | None = None  # in which there is a break
        self._until = time.monotonic() + _SLICE_S

    async def go_to(self, steps: int) -> None:
        """Makes so many steps in all."""
        while self.steps < steps:
            await self._step()

    async def end_event(self) -> None:
        """Goes on to the end of an event."""
        while self._event is not None:
            await self._step()

    async def _step(self) -> None:
        taken = self._breaks.taken
        if self._event is None:
            self._breaks.begin()
            self._event = Waiting(self._clock.step, self._breaks)
            done = self._event.start()
        else:
            done = await self._event.go_on()
        while not done and self._breaks.taken == taken:  # it waits for something else
            done = await self._event.go_on()
        if done:
            self._event = None
        self.steps += 1
        if time.monotonic() >= self._until:
            await asyncio.sleep(0)
            self._until = time.monotonic() + _SLICE_S
