from __future__ import annotations

import base64
from collections.abc import Iterator

from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.websocket import BEARER, bearer_of
from wavetank.apiserver.requests.media import PROTOBUF

_NORMAL = 1000
_LOWEST_ERROR = 400
_BASE64 = "base64.binary.k8s.io"


class WatchSocket:
    """A WebSocket that is answered as an HTTP request is: `scope`, `receive` and `send` are those of such a request.

    Each event of a watch is one message: text for JSON, binary for protobuf, as of the real server. A log comes in
    binary messages, in base64 if the subprotocol is base64.binary.k8s.io. A refusal is an
    ordinary response in place of the handshake. What the client sends is ignored. A token may be among the
    subprotocols; another one has to be there then, which is chosen.
    """

    def __init__(self, scope: Message, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._protocols = [each for each in scope["subprotocols"] if not each.startswith(BEARER)]
        self._denied = False
        self._binary = False
        self._is_log = scope["path"].endswith("/log")
        self._rest = b""  # of an event that was cut in pieces
        headers = list(scope["headers"])
        token = bearer_of(scope["subprotocols"])
        if token and self._protocols and all(name != b"authorization" for name, _ in headers):
            headers.append((b"authorization", f"Bearer {token}".encode("latin-1", "replace")))
        self.scope = {**scope, "method": "GET", "headers": headers}

    def check_protocols(self) -> None:
        """Refuses several subprotocols: a watch has none of its own to choose."""
        if len(self._protocols) > 1 and not self._is_log:
            raise bad_request("a watch accepts one WebSocket subprotocol at most")

    async def receive(self) -> Message:
        """Returns when the client is gone."""
        while (await self._receive())["type"] != "websocket.disconnect":
            pass
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Sends what an HTTP response would be."""
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif self._denied:
            await self._send({**message, "type": "websocket.http.response.body"})
        else:
            for event in self._events(message["body"]):
                await self._send({"type": "websocket.send", **self._content(event)})
            if not message.get("more_body"):
                await self._send({"type": "websocket.close", "code": _NORMAL})

    def _content(self, event: bytes) -> Message:
        if self._is_log and self._protocols[:1] == [_BASE64]:
            return {"text": base64.b64encode(event).decode()}
        return {"bytes": event} if self._binary else {"text": event.decode()}

    async def _begin(self, message: Message) -> None:
        headers = dict(message["headers"])
        failed = message["status"] >= _LOWEST_ERROR
        self._denied = failed or (b"content-length" in headers and not self._is_log)  # streams have no length
        if self._denied:
            await self._send({**message, "type": "websocket.http.response.start"})
            return
        self._binary = self._is_log or headers[b"content-type"].startswith(PROTOBUF.encode())
        chosen = self._protocols[0] if self._protocols else None
        await self._send({"type": "websocket.accept", "subprotocol": chosen})

    def _events(self, data: bytes) -> Iterator[bytes]:
        """Yields the events that are complete; protobuf without their lengths."""
        if self._is_log:
            yield from [data] if data else []
            return
        data = self._rest + data
        while data:
            if self._binary:
                start = 4
                end = start + int.from_bytes(data[:4], "big") if len(data) >= start else start
            else:
                start, end = 0, data.find(b"\n") + 1 or len(data) + 1
            if end > len(data):
                break
            yield data[start:end]
            data = data[end:]
        self._rest = data
