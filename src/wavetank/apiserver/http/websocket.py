from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto.events import Request

from wavetank.apiserver.http.clientcertificates import peer_extension

# How web pages, which cannot set headers of WebSockets, send a token.
BEARER = "base64url.bearer.authorization.k8s.io."


def bearer_of(subprotocols: Iterable[str]) -> str:
    """Returns the token among the subprotocols of a handshake, empty if there is none."""
    encoded = next((each.removeprefix(BEARER) for each in subprotocols if each.startswith(BEARER)), "")
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


class WebSocketProtocol(WSProtocol):
    """WebSockets whose connections can be aborted, for clients that do not read."""

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
