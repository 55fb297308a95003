"""Bodies that their clients have not read yet."""

from __future__ import annotations

import time
from collections.abc import Callable

from wavetank.apiserver.http.messagetypes import Message, Send
from wavetank.apiserver.waiting import slice_begun

_PIECE = 256 * 1024  # bytes that are handed to the transport at once
_MOST = 256 * 1024 * 1024  # bytes of all large bodies that are being sent
_STALLED_S = 1.0

Cut = Callable[[], None]


class _Pending:
    """A large body on its way, which is held as a whole to its end; `progress` is when its client has last read."""

    def __init__(self, cut: Cut, size: int) -> None:
        self.cut = cut
        self.size = size
        self.progress = time.monotonic()


class UnreadBodies:
    """Sends large bodies in pieces, and bounds the memory of those that are not read.

    When there are too many, the client that has read nothing for longest is cut off.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._pending: dict[_Pending, None] = {}  # the one without progress for longest first
        self._size = 0

    def has_room(self, size: int) -> bool:
        """Tells whether a body of so many bytes may be sent, perhaps because a client that stalls is cut off."""
        if size <= _PIECE:
            return True
        while self._pending and self._size + size > self._most:
            stalled = next(iter(self._pending))
            if time.monotonic() - stalled.progress < _STALLED_S:
                return False
            self._end(stalled)
            stalled.cut()
        return True

    async def send(self, body: bytes, cut: Cut | None, send: Send, more_body: bool = False) -> None:
        """Sends a body, or a part of one; returns early if its client is cut off."""
        if len(body) <= _PIECE or cut is None:
            await send({"type": "http.response.body", "body": body, "more_body": more_body})
            return
        pending = _Pending(cut, len(body))
        self._pending[pending] = None
        self._size += pending.size
        try:
            for start in range(0, len(body), _PIECE):
                end = start + _PIECE
                await slice_begun()
                more = more_body or end < len(body)
                await send({"type": "http.response.body", "body": body[start:end], "more_body": more})
                if pending not in self._pending:
                    return
                self._advance(pending)
        finally:
            self._end(pending)

    def _advance(self, pending: _Pending) -> None:
        pending.progress = time.monotonic()
        del self._pending[pending]
        self._pending[pending] = None

    def _end(self, pending: _Pending) -> None:
        if pending in self._pending:
            del self._pending[pending]
            self._size -= pending.size


UNREAD = UnreadBodies()  # of this process


def cut_of(scope: Message) -> Cut | None:
    """Returns how the connection of a request is aborted, if the server says so."""
    extension = (scope.get("extensions") or {}).get("wavetank.cut") or {}
    return extension.get("cut")
