"""Serves plain functions over HTTP: one request at a time, with a JSON answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.messages import ClientGoneError, read_headers, send_response
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.server import listen, make_server
from wavetank.apiserver.requests.request import Response
from wavetank.cli.addresses import warn_of_network
from wavetank.cli.console import console

_LARGEST_BODY = 256 << 20  # bytes
_BODY_S = 300  # how long a client may take for the body of a request

Handle = Callable[[str, str, bytes], tuple[int, bytes]]  # of method, path and body; returns status and body


def serve_answers(name: str, handle: Handle, host: str, port: int) -> None:
    """Answers requests until a signal ends it."""
    with listen(host, port) as listening:
        server = make_server(_App(handle, host))
        warn_of_network("--host", host, secret=False)
        console.print(f"{name}: http://{host}:{listening.getsockname()[1]}", highlight=False)
        console.file.flush()
        server.serve_on(listening)


class _App:
    """Passes requests on, one at a time, beside the event loop."""

    def __init__(self, handle: Handle, host: str) -> None:
        self._handle = handle
        self._guard = Authenticator(None, host)
        self._turn = asyncio.Lock()

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Has nothing to start."""

    def stop(self) -> None:
        """Has nothing to stop."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request."""
        try:
            status, answer = await self._answer(scope, receive)
        except ClientGoneError:
            return
        await send_response(Response(status, [("content-type", "application/json")], answer), scope, send)

    async def _answer(self, scope: Message, receive: Receive) -> tuple[int, bytes]:
        try:
            self._guard.check_site(read_headers(scope))
        except StatusError as error:
            return error.code, json.dumps({"error": str(error)}).encode()
        try:
            async with asyncio.timeout(_BODY_S):
                body = await _body(receive)
        except TimeoutError:
            return 408, b'{"error": "the body of the request has not come in time"}'
        if body is None:
            return 413, b'{"error": "the request is too large"}'
        async with self._turn:
            return await asyncio.to_thread(self._handle, scope["method"], scope["path"], body)


async def _body(receive: Receive) -> bytes | None:
    """Reads the body, which some clients send with GET as well; None if it is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        part = message.get("body", b"")
        size += len(part)
        if size > _LARGEST_BODY:
            return None
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)
