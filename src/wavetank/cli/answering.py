"""Serves plain functions over HTTP: one request at a time, with a JSON answer."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.messages import read_headers
from wavetank.apiserver.http.server import listen
from wavetank.cli.console import console

_LARGEST_BODY = 256 << 20  # bytes

Handle = Callable[[str, str, bytes], tuple[int, bytes]]  # of method, path and body; returns status and body
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def serve_answers(name: str, handle: Handle, host: str, port: int) -> None:
    """Answers requests until a signal ends it."""
    with listen(host, port) as listening:
        config = uvicorn.Config(_App(handle, host), ws="none", lifespan="off", log_level="error", access_log=False)
        server = uvicorn.Server(config)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, server.handle_exit)
        console.print(f"{name}: http://{host}:{listening.getsockname()[1]}", highlight=False)
        console.file.flush()
        server.run([listening])


class _App:
    """Passes requests on, one at a time, beside the event loop."""

    def __init__(self, handle: Handle, host: str) -> None:
        self._handle = handle
        self._guard = Authenticator(None, host)
        self._turn = asyncio.Lock()

    async def __call__(self, scope: MutableMapping[str, Any], receive: _Receive, send: _Send) -> None:
        status, answer = await self._answer(scope, receive)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    async def _answer(self, scope: MutableMapping[str, Any], receive: _Receive) -> tuple[int, bytes]:
        try:
            self._guard.check_site(read_headers(scope))
        except StatusError as error:
            return error.code, json.dumps({"error": str(error)}).encode()
        body = await _body(receive)
        if body is None:
            return 413, b'{"error": "the request is too large"}'
        async with self._turn:
            return await asyncio.to_thread(self._handle, scope["method"], scope["path"], body)


async def _body(receive: _Receive) -> bytes | None:
    """Reads the body, which some clients send with GET as well; None if it is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > _LARGEST_BODY:
            return None
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)
