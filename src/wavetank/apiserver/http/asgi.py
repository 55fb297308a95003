from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from wavetank.apiserver.authorization.impersonation import IMPERSONATE
from wavetank.apiserver.clock.control import PREFIX, ClockControl, as_response
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.errors import StatusError, internal
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.clientcertificates import certified_user
from wavetank.apiserver.http.messages import ClientGoneError, parse_query, read_body, read_headers, send_response
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.streaming import Streaming
from wavetank.apiserver.http.watchsocket import WatchSocket
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.apiserver.requests.stream import Stream
from wavetank.apiserver.waiting import run_waiting

SITE = "/ui"

_log = logging.getLogger("wavetank.apiserver")


class Handler(Protocol):
    """The Kubernetes API, which knows no transport."""

    def handle(self, request: Request) -> Response | Stream:
        """Returns a response, or a stream of events."""

    def authenticate(self, token: str) -> User | None:
        """Returns the service account of a token that the API has issued."""

    def impersonate(self, user: User, headers: Iterable[tuple[bytes, bytes]]) -> User:
        """Returns the user in whose name an authenticated user makes a request; StatusError if it may not."""


class Site(Protocol):
    """A web page beside the API, with what only the page asks for; its paths begin with /ui."""

    def answer_public(self, request: Request) -> Response | None:
        """Answers what needs no token; None if the path is another one."""

    async def answer(self, request: Request) -> Response | Stream:
        """Answers a request with the token; StatusError if the path does not exist."""


class App:
    """The Kubernetes API as an ASGI application; the simulation runs in the same thread, between requests."""

    def __init__(self, api: Handler, guard: Authenticator, heartbeat: Heartbeat, site: Site | None = None) -> None:
        self._api = api
        self._site = site
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

    def end_streams(self) -> None:
        """Ends all watches, whose clients list again."""
        self._streaming.close()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request, or one WebSocket, which is a watch."""
        socket = None
        if scope["type"] == "websocket":
            socket = WatchSocket(scope, receive, send)
            scope, receive, send = socket.scope, socket.receive, socket.send
        try:
            if socket is not None:
                socket.check_protocols()
            answer = await self._answer(scope, receive)
            self._heartbeat.commit(with_time=scope["path"].startswith(PREFIX))
        except StatusError as error:
            answer = as_response(error)
        except ClientGoneError:
            return
        if isinstance(answer, Response):
            await send_response(answer, scope, send)
        else:
            await self._streaming.run(answer, scope, receive, send)

    async def _answer(self, scope: Message, receive: Receive) -> Response | Stream:
        headers = read_headers(scope)
        if self._site is not None and _is_of_site(scope["path"]):
            return await self._answer_site(self._site, scope, headers, receive)
        clock = scope["path"].startswith(PREFIX)  # which only the user of the token may set
        if clock:
            user = self._guard.admit(headers)
        else:
            client = certified_user(scope, self._heartbeat.pacing.clock.now)
            user = self._guard.admit(headers, self._api.authenticate, client)
            if any(name.startswith(IMPERSONATE) for name in headers):
                user = await run_waiting(partial(self._api.impersonate, user, scope["headers"]))
        request = await _read_request(scope, headers, receive)
        request.user = user
        if clock:
            return await _unless_gone(self._clock.handle(request), receive)
        return await self._call(request)

    async def _answer_site(
        self, site: Site, scope: Message, headers: Mapping[str, str], receive: Receive
    ) -> Response | Stream:
        self._guard.check_site(headers)
        request = await _read_request(scope, headers, receive)
        public = site.answer_public(request)
        if public is not None:
            return public
        request.user = self._guard.admit(headers)
        self._heartbeat.pacing.keep_up()
        try:
            return await site.answer(request)
        finally:
            self._heartbeat.reschedule()

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


def _is_of_site(path: str) -> bool:
    return path == SITE or path.startswith(f"{SITE}/")


async def _read_request(scope: Message, headers: Mapping[str, str], receive: Receive) -> Request:
    body = await read_body(headers, receive)
    return Request(scope["method"], scope["path"], parse_query(scope["query_string"]), headers, body)


async def _unless_gone(answer: Coroutine[Any, Any, Response], receive: Receive) -> Response:
    """Waits for an answer, which is cancelled if the client closes the connection before."""
    answering, gone = asyncio.ensure_future(answer), asyncio.ensure_future(_until_gone(receive))
    try:
        await asyncio.wait((answering, gone), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ClientGoneError
        return answering.result()
    finally:
        answering.cancel()
        gone.cancel()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
