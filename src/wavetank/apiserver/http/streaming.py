from __future__ import annotations

import asyncio

from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.unread import UNREAD, cut_of
from wavetank.apiserver.requests.stream import Stream

BOOKMARKS_S = 60.0  # between two bookmarks of a watch, seconds of wall time
LONGEST_S = 3600.0  # of a watch without a timeout; 30 to 60 minutes in the real server
PATIENCE_S = 30.0  # how long a client may leave data unread after the end of its watch


class Streaming:
    """Sends streams to their clients until either side ends them.

    A client that does not read delays no other: its stream closes when too much is pending, and its connection is
    aborted.
    """

    def __init__(self) -> None:
        self._streams: set[Stream] = set()

    def close(self) -> None:
        """Ends all streams."""
        for stream in list(self._streams):
            stream.close()

    async def run(self, stream: Stream, scope: Message, receive: Receive, send: Send) -> None:
        """Sends one stream to its end."""
        self._streams.add(stream)
        leaving = asyncio.create_task(_until_gone(stream, receive))
        timers = _Timers(stream, scope)
        try:
            await _deliver(stream, timers, send)
        finally:
            stream.notify = None
            stream.close()
            timers.cancel()
            leaving.cancel()
            self._streams.discard(stream)


async def _deliver(stream: Stream, timers: _Timers, send: Send) -> None:
    waiting = asyncio.Event()

    def wake() -> None:
        waiting.set()
        if stream.closed:
            timers.cut_soon()

    stream.notify = wake
    wake()
    headers = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in stream.headers]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    while True:
        waiting.clear()
        events = stream.take()
        if events:
            UNREAD.has_room(len(events))  # or another client that stalls is cut off
            await UNREAD.send(events, timers.abort, send, more_body=True)
        elif stream.closed:
            break
        else:
            await waiting.wait()
    await send({"type": "http.response.body", "body": b""})


async def _until_gone(stream: Stream, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.close()


class _Timers:
    """The timers of a stream: bookmarks, its end, and the abort if its client does not read the rest."""

    def __init__(self, stream: Stream, scope: Message) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self.abort = cut_of(scope)
        longest = LONGEST_S if stream.timeout_s is None else max(0.0, stream.timeout_s)
        self._end = self._loop.call_later(longest, stream.close)
        self._next = self._loop.call_later(BOOKMARKS_S, self._bookmark)
        self._cut: asyncio.TimerHandle | None = None

    def cut_soon(self) -> None:
        """Gives the client some time to read, then aborts its connection."""
        if self.abort is not None and self._cut is None:
            self._cut = self._loop.call_later(PATIENCE_S, self.abort)

    def cancel(self) -> None:
        """Cancels all timers."""
        for timer in (self._next, self._end, self._cut):
            if timer is not None:
                timer.cancel()

    def _bookmark(self) -> None:
        self._stream.bookmark()
        self._next = self._loop.call_later(BOOKMARKS_S, self._bookmark)
