from __future__ import annotations

import socket
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

import httptools

from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream

_READ = 1 << 20
# Bytes per send: they always fit into the socket's buffer, so that turns are repeatable.
_SENT = 64 << 10
_LAST_CHUNK = b"0\r\n\r\n"

Address = tuple[str, int]
Ends = tuple[Address, Address]


class ConnectionLostError(Exception):
    """The peer has closed the connection."""


class Connection:
    """An HTTP/1.1 connection of a program: parses requests, sends responses and streams.

    It never blocks. What the socket does not accept is kept until the next `flush`.
    """

    def __init__(
        self, sock: socket.socket, number: int, take: Callable[[Connection, Request], None], peer: Address = ("", 0)
    ) -> None:
        sock.setblocking(False)
        self.number = number
        self.sent = 0  # bytes that the kernel has accepted
        # addresses of both ends, ours first, of a TCP connection
        self.ends: Ends | None = (sock.getsockname(), peer) if sock.family == socket.AF_INET else None
        self.stream: Stream | None = None
        self.closed = False
        self._socket = sock
        self._take = take
        self._parser = httptools.HttpRequestParser(self)
        self._unsent = bytearray()
        self._last = False  # close after everything is sent
        self._whole: list[Request] = []
        self._reset()

    def fileno(self) -> int:
        """Returns the file descriptor."""
        return self._socket.fileno()

    def acknowledge(self) -> None:
        """Acknowledges at once what has arrived over TCP."""
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    # receiving

    def read(self) -> bool:
        """Reads what has arrived and passes on complete requests; False if nothing has arrived.

        ConnectionLostError if the peer has closed the connection or does not speak HTTP.
        """
        came = False
        while not self.closed:
            try:
                data = self._socket.recv(_READ)
            except BlockingIOError:
                return came
            except ConnectionResetError:
                raise ConnectionLostError from None
            if not data:
                raise ConnectionLostError
            came = True
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserError:
                raise ConnectionLostError from None
            self._hand_on()
        return came

    def _hand_on(self) -> None:
        """Passes on complete requests: not from within the parser, which would swallow errors."""
        whole, self._whole = self._whole, []
        for request in whole:
            self._take(self, request)

    def _reset(self) -> None:
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []

    # callbacks of the parser

    def on_url(self, url: bytes) -> None:
        """Receives a part of the URL."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Receives a header."""
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        """Receives a part of the body."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Stores a complete request."""
        method = self._parser.get_method().decode("latin-1")
        parts = urlsplit(self._url.decode("latin-1"))
        query = tuple(parse_qsl(parts.query, keep_blank_values=True)) if parts.query else ()
        body = b"".join(self._body)
        self._whole.append(Request(method, unquote(parts.path), query, self._headers, body, protobuf=False))
        self._reset()

    # sending

    def answer(self, answer: Response | Stream) -> None:
        """Sends a response, or the head of a stream, whose events follow with `send_events`."""
        if isinstance(answer, Response):
            head = _head(answer.status, answer.headers)
            if answer.status not in (204, 304):
                head += b"content-length: %d\r\n" % len(answer.body)
            self._unsent += head + b"\r\n" + answer.body
        else:
            self.stream = answer
            self._unsent += _head(200, answer.headers) + b"transfer-encoding: chunked\r\n\r\n"
            self.send_events()

    def send_events(self) -> None:
        """Sends the pending events of the stream; when it is closed, the connection is free for another request."""
        assert self.stream is not None
        events = self.stream.take()
        if events:
            self._unsent += b"%x\r\n%b\r\n" % (len(events), events)
        if self.stream.closed:
            self._unsent += _LAST_CHUNK
            self.stream.notify = None
            self.stream = None

    def finish(self) -> None:
        """Closes the connection once everything is sent."""
        self._last = True

    def flush(self) -> bool:
        """Sends as much as the socket accepts; True if anything was sent."""
        went = bool(self._unsent) and self._send()
        if self._last and not self._unsent:
            self.close()
            return True
        return went

    def _send(self) -> bool:
        try:
            sent = self._socket.send(self._unsent[:_SENT])
        except BlockingIOError:
            return False
        except (BrokenPipeError, ConnectionResetError):
            self._unsent.clear()  # the next read finds it closed
            return True
        del self._unsent[:sent]
        self.sent += sent
        return True

    @property
    def waits(self) -> bool:
        """Tells whether anything is still to be sent."""
        return bool(self._unsent) or self._last

    def close(self) -> None:
        """Closes the connection at once; its stream ends."""
        if not self.closed:
            self.closed = True
            if self.stream is not None:
                self.stream.notify = None
                self.stream.close()
                self.stream = None
            self._unsent.clear()
            self._last = False
            self._socket.close()


def _head(status: int, headers: list[tuple[str, str]]) -> bytes:
    phrase = HTTPStatus(status).phrase
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{key}: {value}" for key, value in headers)]
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1", "replace")
