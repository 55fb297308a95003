from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol
from urllib.parse import parse_qsl

from wavetank.apiserver.clock.control import PREFIX, ClockControl, as_response
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.errors import StatusError, bad_request, internal, too_large
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.streaming import Message, Receive, Send, Streaming
from wavetank.apiserver.requests.request import Query, Request, Response
from wavetank.apiserver.requests.stream import Stream

LARGEST_BODY = 3 * 1024 * 1024  # bytes, as of the real server
_LARGEST_WASTE = 16 * LARGEST_BODY  # read and dropped, so that the client sees the error

_log = logging.getLogger("wavetank.apiserver")


class Handler(Protocol):
    """The Kubernetes API, which knows no transport."""

    def handle(self, request: Request) -> Response | Stream:
        """Returns a response, or a stream of events."""


class ClientGoneError(Exception):
    """The client closed the connection before its request was complete."""


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
            await _send_response(answer, send)
        else:
            await self._streaming.run(answer, scope, receive, send)

    async def _answer(self, scope: Message, receive: Receive) -> Response | Stream:
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in reversed(scope["headers"])}
        user = self._guard.admit(headers, scope["headers"])
        body = await _read_body(receive) if "content-length" in headers or "transfer-encoding" in headers else b""
        query = _parse_query(scope["query_string"])
        request = Request(scope["method"], scope["path"], query, headers, body, user)
        if request.path.startswith(PREFIX):
            return await self._clock.handle(request)
        return self._call(request)

    def _call(self, request: Request) -> Response | Stream:
        self._heartbeat.pacing.keep_up()
        try:
            return self._api.handle(request)
        except StatusError:
            raise
        except Exception as error:
            _log.exception("%s %s failed", request.method, request.path)
            raise internal(f"{type(error).__name__}: {error}") from error
        finally:
            self._heartbeat.reschedule()


async def _read_body(receive: Receive) -> bytes:
    """Reads a request's body; StatusError if it is too large, once the client has sent it or far too much."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body") and message["type"] == "http.request":
        return _checked(len(body), body)
    parts, size = [body], len(body)
    while message["type"] == "http.request" and message["more_body"] and size <= _LARGEST_WASTE:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size <= LARGEST_BODY:
            parts.append(part)
    if message["type"] == "http.disconnect":
        raise ClientGoneError
    return _checked(size, b"".join(parts))


def _checked(size: int, body: bytes) -> bytes:
    if size > LARGEST_BODY:
        raise too_large(LARGEST_BODY)
    return body


def _parse_query(text: bytes) -> Query:
    if not text:
        return ()
    try:
        return tuple(parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=1000))
    except ValueError:
        raise bad_request("the query has too many parameters") from None


async def _send_response(response: Response, send: Send) -> None:
    headers = [(key.encode("latin-1"), value.encode("latin-1", "replace")) for key, value in response.headers]
    body = response.body
    if response.status not in (204, 304):
        headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
