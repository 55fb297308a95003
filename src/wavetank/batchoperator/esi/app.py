from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.messages import ClientGoneError, parse_query, read_body, read_headers, send_response
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.streaming import Streaming
from wavetank.apiserver.http.websocket import bearer_of
from wavetank.apiserver.requests.request import Request, Response
from wavetank.batchoperator.esi import sockjs
from wavetank.batchoperator.esi.broadcast import Broadcast
from wavetank.batchoperator.esi.interface import Interface
from wavetank.batchoperator.esi.openapi import openapi
from wavetank.batchoperator.esi.page import find_asset
from wavetank.batchoperator.esi.rest import JSON, answer, refuse
from wavetank.batchoperator.esi.streams import EventStream, read_kinds
from wavetank.batchoperator.esi.websockets import WebSockets
from wavetank.errors import InputError

STOMP = "/scheduler"
STREAM = "/external/stream"
LARGEST_BODY = 512 * 1024  # bytes: a queue of 10,000 jobs; every change of a job or scheduling converts all of it

_log = logging.getLogger("wavetank.batchoperator")
T = TypeVar("T")


class Runtime(Protocol):
    """What runs beside the interface: a simulation in the same thread, or an operator on a real cluster."""

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts, in the running loop; `failed` is called if it fails."""

    def stop(self) -> None:
        """Stops."""

    async def call(self, function: Callable[[], T]) -> T:
        """Calls a function that reads or writes the cluster."""


class App:
    """The External Scheduler Interface as an ASGI application: REST, streams, STOMP, and the page."""

    def __init__(self, interface: Interface, guard: Authenticator, runtime: Runtime) -> None:
        self._interface = interface
        self._guard = guard
        self._runtime = runtime
        self.broadcast = Broadcast()
        self._streaming = Streaming()
        self._websockets = WebSockets(self.broadcast)

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts what runs beside the interface, and follows the resources."""
        loop = asyncio.get_running_loop()
        self._interface.publish_to(lambda *change: _in_loop(loop, self.broadcast.publish, *change))
        self._runtime.start(failed)

    def stop(self) -> None:
        """Stops it, and ends all streams."""
        self._runtime.stop()
        self._streaming.close()
        self._websockets.close()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request, or one WebSocket."""
        if scope["type"] == "websocket":
            await self._serve_websocket(scope, receive, send)
            return
        try:
            response = await self._answer(scope, receive)
        except StatusError as error:
            response = refuse(error.code, str(error), scope["path"])
        except InputError as error:
            response = refuse(400, error.message, scope["path"], error.path)
        except ClientGoneError:
            return
        if isinstance(response, EventStream):
            await self._streaming.run(response, scope, receive, send)
        else:
            await send_response(response, scope, send)

    async def _answer(self, scope: Message, receive: Receive) -> Response | EventStream:
        headers, method, path = read_headers(scope), scope["method"], scope["path"]
        self._guard.check_site(headers)
        public = self._answer_public(method, path)
        if public is not None:
            return public
        self._guard.admit(headers)
        body = await read_body(headers, receive, LARGEST_BODY)
        request = Request(method, path, parse_query(scope["query_string"]), headers, body)
        if path == STREAM and method == "GET":
            return EventStream(self.broadcast, read_kinds(request.all("topic")))
        try:
            return await self._runtime.call(lambda: answer(self._interface, request))
        except Exception as error:
            _log.exception("%s %s failed", method, path)
            return refuse(500, f"{type(error).__name__}: {error}", path)

    def _answer_public(self, method: str, path: str) -> Response | None:
        """Answers what needs no token, since it has no data of the cluster; None if the path is another one."""
        if method not in ("GET", "HEAD"):
            return None
        if path == "/access":
            return _json({"tokenNeeded": not self._guard.has_token({})})
        if path == "/openapi.json":
            return _json(openapi())
        if path == f"{STOMP}/info":
            return _json(sockjs.info())
        return find_asset(path)

    async def _serve_websocket(self, scope: Message, receive: Receive, send: Send) -> None:
        path: str = scope["path"].removesuffix("/")
        await receive()  # that it wants to connect
        try:
            known = self._admit_websocket(scope)
            kinds = read_kinds([value for name, value in parse_query(scope["query_string"]) if name == "topic"])
        except StatusError as error:
            return await _reject(refuse(error.code, str(error), path), send)
        except InputError as error:
            return await _reject(refuse(400, error.message, path, error.path), send)
        if path == STREAM and not known:
            return await _reject(refuse(401, "the handshake needs the token", path), send)
        if path == STREAM:
            return await self._websockets.stream(kinds, scope, receive, send)
        framed = path.startswith(STOMP) and sockjs.is_session(path.removeprefix(STOMP))
        if path not in (STOMP, f"{STOMP}/websocket") and not framed:
            return await _reject(refuse(404, f"WebSockets are served at {STOMP} and {STREAM}", path), send)
        return await self._websockets.stomp(scope, receive, send, None if known else self._is_token, framed)

    def _admit_websocket(self, scope: Message) -> bool:
        """Refuses foreign web pages; returns whether the handshake has the token."""
        headers = read_headers(scope)
        self._guard.check_site(headers)
        return self._guard.has_token(headers) or self._is_token(bearer_of(scope["subprotocols"]))

    def _is_token(self, token: str) -> bool:
        return self._guard.authenticate(token) is not None


def _json(value: object) -> Response:
    return Response(200, JSON, msgspec.json.encode(value))


def _in_loop(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *args: object) -> None:
    """Calls a function in the thread of the loop, now if it is this one."""
    try:
        here = asyncio.get_running_loop() is loop
    except RuntimeError:
        here = False
    if here:
        function(*args)
    else:
        loop.call_soon_threadsafe(function, *args)


async def _reject(response: Response, send: Send) -> None:
    """Refuses a handshake with a response."""
    headers = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in response.headers]
    headers.append((b"content-length", b"%d" % len(response.body)))
    await send({"type": "websocket.http.response.start", "status": response.status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": response.body})
