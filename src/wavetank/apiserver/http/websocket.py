from __future__ import annotations

from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto.events import Request


class WebSocketProtocol(WSProtocol):
    """WebSockets whose connections can be aborted, for clients that do not read."""

    def handle_connect(self, event: Request) -> None:
        """Tells the application how to abort the connection."""
        super().handle_connect(event)
        self.scope["extensions"] = {**(self.scope["extensions"] or {}), "wavetank.cut": {"cut": self.transport.abort}}

    def keepalive_timeout(self) -> None:
        """Aborts the connection of a client that does not answer: it would not read the farewell either."""
        self.transport.abort()
