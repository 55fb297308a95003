from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Protocol

from wavetank.apiserver.clock.control import PREFIX, ClockControl, as_response
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.errors import StatusError, internal
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.messages import ClientGoneError, parse_query, read_body, read_headers, send_response
from wavetank.apiserver.http.streaming import Message, Receive, Send, Streaming
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.apiserver.webhooks.waiting import run_waiting

_log = logging.getLogger("wavetank.apiserver")


class Handler(Protocol):
    """The Kubernetes API, which knows no transport."""

    def handle(self, request: Request) -> Response | Stream:
        """Returns a response, or a stream of events."""


class App:
    """The Kubernetes API as an ASGI application; the simulation runs in the same thread, between requests."""

    def __init__(self, api: Handler, guard: Authenticator, heartbeat: Heartbeat) -> None:
        self._api = api
        self._guard = guard
        self._heartbeat = heartbeat
        self._clock = ClockControl(heartbeat)
        self._streaming = Streaming()

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts the simulation, in the running loop; `failed` is called if it fails."""
        self._heartbeat.failed = failed
        self._heartbeat.start()

    def stop(self) -> None:
        """Stops the simulation and ends all watches."""
        self._heartbeat.stop()
        self._streaming.close()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request."""
        try:
            answer = await self._answer(scope, receive)
        except StatusError as error:
            answer = as_response(error)
        except ClientGoneError:
            return
        if isinstance(answer, Response):
            await send_response(answer, send)
        else:
            await self._streaming.run(answer, scope, receive, send)

    async def _answer(self, scope: Message, receive: Receive) -> Response | Stream:
        headers = read_headers(scope)
        user = self._guard.admit(headers, scope["headers"])
        body = await read_body(headers, receive)
        query = parse_query(scope["query_string"])
        request = Request(scope["method"], scope["path"], query, headers, body, user)
        if request.path.startswith(PREFIX):
            return await self._clock.handle(request)
        return await self._call(request)

    async def _call(self, request: Request) -> Response | Stream:
        self._heartbeat.pacing.keep_up()
        try:
            return await run_waiting(partial(self._api.handle, request))
        except StatusError:
            raise
        except Exception as error:
            _log.exception("%s %s failed", request.method, request.path)
            raise internal(f"{type(error).__name__}: {error}") from error
        finally:
            self._heartbeat.reschedule()
