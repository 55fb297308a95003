from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from wavetank.apiserver.stream import Stream

BOOKMARKS_S = 60.0  # between two bookmarks of a watch, seconds of wall time
LONGEST_S = 3600.0  # of a watch whose client does not say how long; the real server's take 30 to 60 minutes
PATIENCE_S = 30.0  # how long a client may leave unread what was sent to it, once its watch is over


class Streaming:
    """Sends watches to their clients until either side has had enough.

    A client that does not read is not waited for by anybody else: its stream closes by itself when too much has
    piled up, and its connection is cut.
    """

    def __init__(self) -> None:
        self._streams: set[Stream] = set()

    def close(self) -> None:
        """Ends all watches."""
        for stream in list(self._streams):
            stream.close()

    async def run(
        self,
        stream: Stream,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Sends one stream to its end."""
        loop = asyncio.get_running_loop()
        waiting = asyncio.Event()
        cut = _Cut(scope, loop)

        def wake() -> None:
            waiting.set()
            if stream.closed:
                cut.soon()

        stream.notify = wake
        self._streams.add(stream)
        timers = _Timers(stream, loop)
        leaving = loop.create_task(_until_gone(stream, receive))
        try:
            headers = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in stream.headers]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while True:
                waiting.clear()
                events = stream.take()
                if events:
                    await send({"type": "http.response.body", "body": events, "more_body": True})
                elif stream.closed:
                    break
                else:
                    await waiting.wait()
            await send({"type": "http.response.body", "body": b""})
        finally:
            stream.notify = None
            stream.close()
            self._streams.discard(stream)
            timers.cancel()
            leaving.cancel()
            cut.cancel()


async def _until_gone(stream: Stream, receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.close()


class _Timers:
    """What happens to a watch by time: bookmarks, and its end."""

    def __init__(self, stream: Stream, loop: asyncio.AbstractEventLoop) -> None:
        self._stream = stream
        self._loop = loop
        longest = LONGEST_S if stream.timeout_s is None else max(0.0, stream.timeout_s)
        self._end = loop.call_later(longest, stream.close)
        self._next = loop.call_later(BOOKMARKS_S, self._bookmark)

    def _bookmark(self) -> None:
        self._stream.bookmark()
        self._next = self._loop.call_later(BOOKMARKS_S, self._bookmark)

    def cancel(self) -> None:
        """Forgets both."""
        self._next.cancel()
        self._end.cancel()


class _Cut:
    """Cuts the connection of a client that does not take the rest of a watch that is over."""

    def __init__(self, scope: MutableMapping[str, Any], loop: asyncio.AbstractEventLoop) -> None:
        extension = (scope.get("extensions") or {}).get("wavetank.cut") or {}
        self._abort: Callable[[], None] | None = extension.get("cut")
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    def soon(self) -> None:
        """Gives the client a while, then cuts."""
        if self._abort is not None and self._handle is None:
            self._handle = self._loop.call_later(PATIENCE_S, self._abort)

    def cancel(self) -> None:
        """Lets the connection be."""
        if self._handle is not None:
            self._handle.cancel()
