from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import httptools

Body = Callable[[bytes], None]


class BrokenError(Exception):
    """A connection has ended before its answer was complete."""


class Connection(asyncio.Protocol):
    """One HTTP/1.1 connection, with one request at a time.

    `follow` gets the parts of an answer's body as they come; without it they are collected.
    """

    def __init__(self) -> None:
        self.reusable = False
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[int] | None = None
        self._parts: list[bytes] = []
        self._follow: Body | None = None

    async def send(self, request: bytes, follow: Body | None = None) -> tuple[int, bytes]:
        """Returns status and body of the answer; BrokenError if there is none."""
        self.reusable = False
        if self._transport is None or self._transport.is_closing():
            raise BrokenError("the server has closed the connection")
        self._parts, self._follow = [], follow
        self._parser = httptools.HttpResponseParser(self)
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer, b"".join(self._parts)

    def close(self) -> None:
        """Closes the connection; an unanswered request fails."""
        if self._transport is not None:
            self._transport.abort()

    # of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are of no common class

    def data_received(self, data: bytes) -> None:
        """Parses what the server has sent."""
        if self._answer is None:
            self.close()  # nothing was asked
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(f"malformed answer: {error}")
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Fails an unanswered request."""
        self.reusable = False
        self._fail(str(exc) if exc else "the server has closed the connection")

    def _fail(self, problem: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(BrokenError(problem))

    # of the parser

    def on_body(self, body: bytes) -> None:
        """Passes a part of the body on, if the answer is a good one."""
        if self._follow is not None and self._parser.get_status_code() == 200:
            self._follow(body)
        else:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        """Completes the answer."""
        self.reusable = self._parser.should_keep_alive()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(self._parser.get_status_code())
