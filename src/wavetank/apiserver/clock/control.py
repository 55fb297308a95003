from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import MAX, parse_speed
from wavetank.apiserver.errors import StatusError, bad_request, method_not_allowed, no_such_resource
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.objects.resource import render_time
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, parse_duration

PREFIX = "/wavetank/"
CLOCK = f"{PREFIX}clock"


class ClockControl:
    """The paths below /wavetank/clock: GET returns the state of the clock; POST pauses, resumes, steps or advances it.

    `advance?by=10m` says how far, `resume?speed=60` how fast. Every answer is the state of the clock; the answer to an
    advance or a step comes when it is done.
    """

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat
        self._pacing = heartbeat.pacing

    async def handle(self, request: Request) -> Response:
        """Answers a request; StatusError if the path or the method does not exist."""
        try:
            await self._act(request)
        except InputError as error:
            raise bad_request(str(error)) from None
        self._heartbeat.reschedule()
        return Response(200, [("content-type", "application/json")], msgspec.json.encode(self._state()))

    async def _act(self, request: Request) -> None:
        action = request.path.removeprefix(CLOCK).strip("/")
        if not request.path.startswith(CLOCK):
            raise no_such_resource()
        if request.method != ("POST" if action else "GET"):
            raise method_not_allowed()
        if action in ("advance", "step"):
            await self._go(request, action)
        elif action == "pause":
            self._pacing.pause()
        elif action == "resume":
            speed = request.param("speed")
            self._pacing.resume(parse_speed(speed) if speed else self._pacing.speed)
        elif action:
            raise no_such_resource()

    async def _go(self, request: Request, action: str) -> None:
        """Advances the clock and waits until it has arrived."""
        arrived = asyncio.Event()
        if action == "step":
            self._pacing.step(arrived.set)
        else:
            self._pacing.advance(parse_duration(request.param("by"), path="by"), arrived.set)
        self._heartbeat.reschedule()
        try:
            await arrived.wait()
        except asyncio.CancelledError:  # the client is gone
            self._pacing.withdraw(arrived.set)
            raise

    def _state(self) -> dict[str, Any]:
        status = self._pacing.status()
        ahead = None if status.next_progress is None else (status.next_progress - status.now) / SECOND
        return {
            "time": render_time(status.now),
            "elapsedSeconds": status.elapsed / SECOND,
            "speed": "max" if status.speed is MAX else status.speed,
            "paused": status.paused,
            "idle": status.idle,
            "nextEventSeconds": ahead,
        }


def as_response(error: StatusError) -> Response:
    """Returns an error as a response."""
    headers = [("content-type", "application/json")]
    if error.retry_after_s:
        headers.append(("retry-after", str(error.retry_after_s)))
    return Response(error.code, headers, msgspec.json.encode(error.status))
