"""One HTTP connection: uvicorn's, with limits of time and size, and of the number of connections."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from types import MappingProxyType

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from wavetank.apiserver.http.clientcertificates import peer_extension
from wavetank.apiserver.http.connectionlimit import LIMIT
from wavetank.apiserver.http.websocket import WebSocketProtocol

HEAD_S = 30  # how long a client may take for the head of a request, its first one included
_PROBE_S = 1.0  # how often a client that sends nothing more is asked whether it still waits for its answer
_UNREAD_S = 60  # how long a client may leave unread what was sent to it
LARGEST_HEAD = 1 << 20  # bytes, as of the real server
_PROBE = b"HTTP/1.1 100 Continue\r\n\r\n"  # which clients skip
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
# kubectl shows the reason in the first line and nothing else.
_WHY = "exec, attach, cp and port-forward are not possible: containers are simulated, there is no process"
_NO_TUNNEL = f"HTTP/1.1 501 {_WHY}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()

_METHODS = frozenset((b"GET", b"POST", b"PUT", b"PATCH", b"DELETE", b"HEAD", b"OPTIONS", b"CONNECT", b"TRACE", b"PRI"))
_FIRST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) [^ \r\n]+ HTTP/1\.[01]\r\n")
_UNUSED = b"UNLINK"  # a method that the parser knows and no path supports


def _with_known_method(data: bytes) -> bytes:
    """Returns the beginning of a request whose method the parser knows.

    An unknown method is refused as a method, as by the real server, and not as something that is no HTTP.
    """
    found = _FIRST_LINE.match(data)
    return data if found is None or found[1] in _METHODS else _UNUSED + data[found.end(1) :]


class HttpProtocol(HttpToolsProtocol):
    """HTTP that answers half-closed connections, and can abort those of clients that do not send or read."""

    admitted = False  # whether there is room for it
    peer: Mapping[str, dict[object, object]] = MappingProxyType({})  # the extension with the client's certificate
    active = 0.0  # when the last request began or ended, in seconds of the loop
    _head: int | None = None  # bytes of an incomplete head
    _impatience: asyncio.TimerHandle | None = None  # closes a connection that does not complete a head
    _probe: asyncio.TimerHandle | None = None  # finds out whether a half-closed connection is closed
    _unread: asyncio.TimerHandle | None = None  # closes a connection whose client does not read

    @property
    def is_idle(self) -> bool:
        """Tells whether no request is being answered: there is none, or its body is incomplete."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or (cycle.more_body and not cycle.response_started)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Waits for a first request, but not for ever: idle connections would use up all descriptors."""
        self.admitted = self.admitted or LIMIT.make_room(self.connections)
        super().connection_made(transport)
        self.active = self.loop.time()
        self.peer = peer_extension(transport)
        self._wait_for_head()
        if not self.admitted:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing more."""
        self._stop_waiting()
        if self._probe is not None:
            self._probe.cancel()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Waits until the client has read more, but not for ever."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(_UNREAD_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Goes on: the client has read something."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        super().resume_writing()

    def _wait_for_head(self) -> None:
        if self._impatience is None:
            self._impatience = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
            self._impatience = None

    def data_received(self, data: bytes) -> None:
        """Parses more data, unless a head is too long."""
        super().data_received(_with_known_method(data) if self._head is None and self.is_idle else data)
        if self._head is not None:
            self._head += len(data)
            if self._head > LARGEST_HEAD and not self.transport.is_closing():
                self.transport.write(_TOO_LARGE)
                self.transport.close()

    def on_message_begin(self) -> None:
        """Tells the application how to abort the connection."""
        self._head = 0
        self._wait_for_head()
        super().on_message_begin()
        self.scope["extensions"] = {"wavetank.cut": {"cut": self.transport.abort}, **self.peer}

    def on_headers_complete(self) -> None:
        """Refuses CONNECT: kubectl sends it to its proxy, which is this server, before exec and attach."""
        self._head = None
        self._stop_waiting()
        self.active = self.loop.time()
        if self.parser.get_method() == b"CONNECT":
            self.transport.write(_NO_TUNNEL)
            self.transport.close()
        else:
            super().on_headers_complete()

    def _should_upgrade_to_ws(self) -> bool:
        kind = self.ws_protocol_class
        return kind is not None and issubclass(kind, WebSocketProtocol) and kind.serves(self.url)

    def on_message_complete(self) -> None:
        """Notes that a request is complete, if there is one."""
        if self.cycle is not None:
            super().on_message_complete()

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Keeps the connection for the answer to a complete request; watches and incomplete requests end here."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.response_started or cycle.more_body:
            return None
        cycle.keep_alive = False
        if self.scheme != "http":  # TLS has no half-closed connections
            return None
        if self.parser.get_http_version() == "1.1":
            self._probe = self.loop.call_later(_PROBE_S, self._ask_whether_it_waits)
        return True

    def _ask_whether_it_waits(self) -> None:
        """Writes what a half-closed client ignores, and what fails if the client has closed the connection."""
        if self.transport.is_closing() or self.cycle is None or self.cycle.response_started:
            return
        if not self.pipeline:  # else an earlier answer may have begun
            self.transport.write(_PROBE)
        self._probe = self.loop.call_later(_PROBE_S, self._ask_whether_it_waits)
