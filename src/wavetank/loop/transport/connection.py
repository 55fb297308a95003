from __future__ import annotations

import socket
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

import httptools

from wavetank.apiserver.clock.control import as_response
from wavetank.apiserver.errors import StatusError, too_large
from wavetank.apiserver.http.messages import LARGEST_BODY, LARGEST_WASTE, parse_query
from wavetank.apiserver.http.protocol import LARGEST_HEAD
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

    It never blocks. What the socket does not accept is kept until the next `flush`. It is closed after the answer to a
    request of HTTP/1.0, or one that asks for it.
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
        self._whole: list[Request | StatusError] = []
        self._unanswered = 0
        self._one_more = True  # the client may make another request
        self._chunked = True
        self._head: int | None = None  # bytes of an incomplete head
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

        ConnectionLostError if the peer has closed the connection, sends far too much or does not speak HTTP.
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
            self._check_head(len(data))
            self._hand_on()
        return came

    def _check_head(self, size: int) -> None:
        if self._head is not None:
            self._head += size
            if self._head > LARGEST_HEAD:
                raise ConnectionLostError

    def _hand_on(self) -> None:
        """Passes on complete requests: not from within the parser, which would swallow errors."""
        whole, self._whole = self._whole, []
        for request in whole:
            if isinstance(request, StatusError):
                self.answer(as_response(request))
            else:
                self._take(self, request)

    def _reset(self) -> None:
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._size = 0  # bytes of the body

    # callbacks of the parser

    def on_message_begin(self) -> None:
        """Begins a request."""
        self._head = 0

    def on_headers_complete(self) -> None:
        """Ends the head of a request."""
        self._head = None

    def on_url(self, url: bytes) -> None:
        """Receives a part of the URL."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Receives a header."""
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        """Receives a part of the body."""
        self._size += len(body)
        if self._size > LARGEST_WASTE:
            raise ConnectionLostError
        if self._size <= LARGEST_BODY:
            self._body.append(body)

    def on_message_complete(self) -> None:
        """Stores a complete request."""
        self._unanswered += 1
        self._chunked = self._parser.get_http_version() != "1.0"
        self._one_more = self._chunked and self._parser.should_keep_alive()
        try:
            self._whole.append(self._request())
        except StatusError as error:
            self._whole.append(error)
        self._reset()

    def _request(self) -> Request:
        """Returns the request that has come; StatusError if it is too large."""
        if self._size > LARGEST_BODY:
            raise too_large(LARGEST_BODY)
        method = self._parser.get_method().decode("latin-1")
        parts = urlsplit(self._url.decode("latin-1"))
        query, body = parse_query(parts.query.encode("latin-1")), b"".join(self._body)
        return Request(method, unquote(parts.path), query, self._headers, body, protobuf=False)

    # sending

    def answer(self, answer: Response | Stream) -> None:
        """Sends a response, or the head of a stream, whose events follow with `send_events`."""
        closing = [] if self._one_more or self._unanswered > 1 else [("connection", "close")]
        if isinstance(answer, Response):
            head = _head(answer.status, answer.headers + closing)
            if answer.status not in (204, 304):
                head += b"content-length: %d\r\n" % len(answer.body)
            self._unsent += head + b"\r\n" + answer.body
            self._end_answer()
        else:
            self.stream = answer
            self._unsent += _head(200, answer.headers + closing)
            self._unsent += b"transfer-encoding: chunked\r\n\r\n" if self._chunked else b"\r\n"
            self.send_events()

    def _end_answer(self) -> None:
        self._unanswered -= 1
        if not self._one_more and self._unanswered <= 0:
            self.finish()

    def send_events(self) -> None:
        """Sends the pending events of the stream; when it is closed, the connection is free for another request."""
        assert self.stream is not None
        events = self.stream.take()
        if events:
            self._unsent += b"%x\r\n%b\r\n" % (len(events), events) if self._chunked else events
        if self.stream.closed:
            self._unsent += _LAST_CHUNK if self._chunked else b""
            self.stream.notify = None
            self.stream = None
            self._end_answer()

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

    @property
    def is_idle(self) -> bool:
        """Tells whether no request is to be answered."""
        return self._unanswered <= 0 and not self.waits

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
