"""SockJS over WebSocket: how sockjs-client wraps messages (https://github.com/sockjs/sockjs-protocol).

Only its WebSocket transport is served; /info says so, and clients do not try another one then.
"""

from __future__ import annotations

import re
import secrets

import msgspec

OPEN = "o"
HEARTBEAT = "h"
HEARTBEAT_S = 25.0
GO_AWAY = 'c[3000,"Go away!"]'
_SESSION = re.compile(r"/[^/.]+/[^/.]+/websocket")


def is_session(path: str) -> bool:
    """Returns whether a path below the endpoint is that of a session: /SERVER/SESSION/websocket."""
    return _SESSION.fullmatch(path) is not None


def info() -> dict[str, object]:
    """Returns the answer to /info."""
    return {"websocket": True, "cookie_needed": False, "origins": ["*:*"], "entropy": secrets.randbits(32)}


def wrap(message: bytes) -> str:
    """Returns a message as the server sends it."""
    return "a" + msgspec.json.encode([message.decode()]).decode()


def unwrap(text: str) -> list[bytes]:
    """Returns the messages of a client; ValueError if it is no JSON text or list of texts."""
    try:
        read = msgspec.json.decode(text, type=list[str] | str)
    except msgspec.DecodeError:
        raise ValueError("expected a list of texts in JSON") from None
    return [each.encode() for each in ([read] if isinstance(read, str) else read)]
