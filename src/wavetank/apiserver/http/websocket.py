from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Iterable
from typing import Any

from uvicorn._types import ASGISendEvent, WebSocketEvent
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto.events import Request

from wavetank.apiserver.http.clientcertificates import peer_extension

# How web pages, which cannot set headers of WebSockets, send a token.
BEARER = "base64url.bearer.authorization.k8s.io."
_PIECE = 4096  # bytes that are parsed at once; frames of six bytes take some milliseconds


def bearer_of(subprotocols: Iterable[str]) -> str:
    """Returns the token among the subprotocols of a handshake, empty if there is none."""
    encoded = next((each.removeprefix(BEARER) for each in subprotocols if each.startswith(BEARER)), "")
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


class WebSocketProtocol(WSProtocol):
    """WebSockets whose connections can be aborted, for clients that do not read.

    What a client sends is parsed in pieces, between which other clients are served, and only if it reads the answers: a
    ping takes six bytes, and many times as long to answer as to receive.
    """

    _handshake = True  # the next data is the request, which is whole
    _parsing: asyncio.Handle | None = None  # of the next piece

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unparsed = bytearray()

    @staticmethod
    def serves(url: bytes) -> bool:
        """Tells whether a URL can be asked for as a WebSocket; other requests are answered as if they had not asked."""
        return True

    def handle_connect(self, event: Request) -> None:
        """Tells the application how to abort the connection."""
        super().handle_connect(event)
        cut: dict[object, object] = {"cut": self.transport.abort}
        known = self.scope["extensions"] or {}
        self.scope["extensions"] = {**known, "wavetank.cut": cut, **peer_extension(self.transport)}

    def data_received(self, data: bytes) -> None:
        """Parses data: the first piece now, the others later."""
        if self._handshake:
            self._handshake = False
            super().data_received(data)
            return
        self._unparsed += data
        if self._parsing is None:
            self._parse()

    def _parse(self) -> None:
        self._parsing = None
        if self.transport.is_closing():
            return
        if self.writable.is_set():
            piece = bytes(self._unparsed[:_PIECE])
            del self._unparsed[:_PIECE]
            super().data_received(piece)
            if self._unparsed:
                self._parsing = self.loop.call_soon(self._parse)
        self._read_on()

    def _read_on(self) -> None:
        """Reads from the client if nothing is left of what it has sent."""
        if self.transport.is_closing():
            return
        self.read_paused = bool(self._unparsed) or not self.queue.empty()
        if self.read_paused:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def resume_writing(self) -> None:
        """Goes on: the client has read something."""
        super().resume_writing()
        if self._unparsed and self._parsing is None:
            self._parsing = self.loop.call_soon(self._parse)

    async def receive(self) -> WebSocketEvent:
        """Returns the next message of the client."""
        message = await self.queue.get()
        self._read_on()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        """Sends what the application says; nothing once the connection has ended, as by a message too large."""
        if not (self.handshake_complete and self.close_sent):
            await super().send(message)

    def keepalive_timeout(self) -> None:
        """Aborts the connection of a client that does not answer: it would not read the farewell either."""
        self.transport.abort()


class WatchProtocol(WebSocketProtocol):
    """WebSockets of the Kubernetes API: those of watches and of logs."""

    @staticmethod
    def serves(url: bytes) -> bool:
        """Tells whether a URL is that of a watch or of a log."""
        path, _, query = url.partition(b"?")
        if path.endswith(b"/log"):
            return True
        return b"/watch/" in path or any(each.partition(b"=")[0] == b"watch" for each in query.split(b"&"))
