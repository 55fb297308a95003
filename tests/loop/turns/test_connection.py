"""One HTTP connection of a program: requests come out whole, and nothing ever waits on a full buffer."""

from __future__ import annotations

import errno
import socket
import threading
from contextlib import suppress
from types import SimpleNamespace

import pytest

from wavetank.apiserver.requests.request import Request, Response
from wavetank.loop.transport.connection import Connection, ConnectionLostError
from wavetank.loop.transport.listener import Listener

JSON = [("content-type", "application/json")]


class Ends:
    """Both ends of a connection, and the requests that came through it."""

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.requests: list[Request] = []
        self.connection = Connection(ours, 1, lambda connection, request: self.requests.append(request))

    def close(self) -> None:
        self.connection.close()
        self.theirs.close()


@pytest.fixture
def ends():
    both = Ends()
    yield both
    both.close()


def test_a_request_in_pieces(ends):
    body = b'{"a":1}'
    whole = b"POST /api/v1/x%20y?limit=5&watch HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\nX-A: b\r\n\r\n" + body
    for piece in (whole[:9], whole[9:60], whole[60:-3]):
        ends.theirs.sendall(piece)
        assert ends.connection.read()
        assert not ends.requests
    ends.theirs.sendall(whole[-3:])
    assert ends.connection.read()
    (request,) = ends.requests
    assert (request.method, request.path, request.body) == ("POST", "/api/v1/x y", body)
    assert request.query == (("limit", "5"), ("watch", ""))
    assert request.headers["x-a"] == "b"


def test_several_requests_at_once(ends):
    ends.theirs.sendall(b"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n")
    assert ends.connection.read()
    assert [request.path for request in ends.requests] == ["/a", "/b"]


def test_nothing_has_come(ends):
    assert not ends.connection.read()


@pytest.mark.parametrize("sent", [b"", b"no HTTP at all\r\n\r\n"], ids=["closed", "garbage"])
def test_a_connection_that_is_lost(ends, sent):
    ends.theirs.sendall(sent)
    if not sent:
        ends.theirs.close()
    with pytest.raises(ConnectionLostError):
        ends.connection.read()


def test_an_error_while_serving_is_not_swallowed():
    ours, theirs = socket.socketpair()

    def fail(connection: Connection, request: Request) -> None:
        raise ZeroDivisionError

    connection = Connection(ours, 1, fail)
    theirs.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    with pytest.raises(ZeroDivisionError):
        connection.read()
    connection.close()
    theirs.close()


def test_an_answer_larger_than_any_buffer_goes_piece_by_piece(ends):
    body = b"x" * 3_000_000
    ends.connection.answer(Response(200, JSON, body))
    received, flushes = b"", 0
    ends.theirs.setblocking(False)
    while ends.connection.waits:
        ends.connection.flush()  # never blocks, whether or not the other side reads
        flushes += 1
        if flushes % 3 == 0:
            received += _all_of(ends.theirs)
    received += _all_of(ends.theirs)
    assert received.endswith(body)
    assert received.startswith(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 3000000\r\n\r\n")


def test_a_connection_is_closed_when_all_is_sent(ends):
    ends.connection.answer(Response(200, JSON, b"{}"))
    ends.connection.finish()
    while ends.connection.waits:
        ends.connection.flush()
    assert ends.connection.closed
    assert ends.theirs.recv(1000).endswith(b"{}")
    assert ends.theirs.recv(1000) == b""


def received_of(ends: Ends) -> bytes:
    """Sends everything that is pending, and returns what the program reads until the connection is closed."""
    while ends.connection.waits:
        ends.connection.flush()
    if not ends.connection.closed:
        ends.theirs.setblocking(False)
    return _all_of(ends.theirs)


@pytest.mark.parametrize(
    ("sent", "stays"),
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", True, id="HTTP/1.1"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", False, id="asks to close"),
        pytest.param(b"GET / HTTP/1.0\r\nHost: h\r\n\r\n", False, id="HTTP/1.0"),
    ],
)
def test_a_connection_is_closed_after_the_last_answer(ends, sent, stays):
    ends.theirs.sendall(sent)
    assert ends.connection.read()
    ends.connection.answer(Response(200, JSON, b"{}"))
    answer = received_of(ends)
    assert answer.endswith(b"\r\n\r\n{}")
    assert ends.connection.closed == (not stays)
    assert (b"connection: close" in answer) == (not stays)


def test_only_the_last_of_several_requests_closes_the_connection(ends):
    ends.theirs.sendall(b"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    assert ends.connection.read()
    ends.connection.answer(Response(200, JSON, b"1"))
    assert b"connection" not in received_of(ends)
    assert not ends.connection.closed
    ends.connection.answer(Response(200, JSON, b"2"))
    assert b"connection: close" in received_of(ends)
    assert ends.connection.closed


def test_a_stream_of_http_1_0_ends_with_the_connection(ends):
    stream = a_stream(b"event")
    ends.theirs.sendall(b"GET / HTTP/1.0\r\n\r\n")
    assert ends.connection.read()
    ends.connection.answer(stream)
    assert received_of(ends).endswith(b"\r\n\r\nevent")
    stream.closed = True
    ends.connection.send_events()
    assert received_of(ends) == b""
    assert ends.connection.closed


def a_stream(*events: bytes) -> SimpleNamespace:
    waiting = list(events)
    return SimpleNamespace(headers=[], closed=False, notify=None, close=lambda: None,
                           take=lambda: waiting.pop(0) if waiting else b"")  # fmt: skip


@pytest.mark.parametrize(
    ("head", "body", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3145729\r\n\r\n", b"x" * 3_145_729, b"413"),
        (b"GET /?" + b"&".join([b"a=b"] * 1001) + b" HTTP/1.1\r\nHost: h\r\n\r\n", b"", b"400"),
    ],
    ids=["a body", "a query"],
)
def test_what_is_too_large_is_refused(ends, head, body, status):
    sending = threading.Thread(target=ends.theirs.sendall, args=(head + body,))
    sending.start()
    while not ends.connection.waits:
        ends.connection.read()
    sending.join()
    assert not ends.requests
    assert received_of(ends).startswith(b"HTTP/1.1 " + status)
    ends.theirs.setblocking(True)
    ends.theirs.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert ends.connection.read()
    assert len(ends.requests) == 1


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 400_000,
                                  b"POST / HTTP/1.1\r\nContent-Length: 90000000\r\n\r\n" + b"x" * 60_000_000],
                         ids=["a head", "a body"])  # fmt: skip
def test_a_connection_that_sends_far_too_much_is_lost(ends, sent):
    def send() -> None:
        with suppress(OSError):
            ends.theirs.sendall(sent)

    sending = threading.Thread(target=send)
    sending.start()
    with pytest.raises(ConnectionLostError):
        _read_on(ends.connection)
    ends.connection.close()
    sending.join()


def test_a_listener_serves_connections_in_the_order_in_which_they_came(tmp_path):
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(tmp_path / "socket"))
    served = []
    listener = Listener(sock, lambda connection, request: served.append(request.path))
    clients = []
    for _ in range(20):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(tmp_path / "socket"))
        clients.append(client)
    for number in reversed(range(20)):
        clients[number].sendall(f"GET /{number} HTTP/1.1\r\nHost: h\r\n\r\n".encode())
    assert listener.read()
    assert served == [f"/{number}" for number in range(20)]
    assert not listener.read()
    clients[3].close()
    assert listener.read()
    assert len(list(listener)) == 19
    listener.close()
    for client in clients:
        client.close()


@pytest.mark.parametrize("limit", ["connections", "descriptors"])
def test_the_oldest_idle_connection_is_closed_if_there_are_too_many(tmp_path, monkeypatch, limit):
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(tmp_path / "socket"))
    listener = Listener(sock, lambda connection, request: None, closes_idle=True)  # no request is answered
    clients = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for client in clients[:2]:
        client.connect(str(tmp_path / "socket"))
    clients[0].sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert listener.read()
    clients[2].connect(str(tmp_path / "socket"))
    if limit == "connections":
        monkeypatch.setattr("wavetank.loop.transport.listener._MOST_CONNECTIONS", 2)
    else:
        listener.socket = WithoutDescriptors(sock)
    listener.accept()
    assert [connection.number for connection in listener] == [1, 3]
    assert clients[1].recv(1) == b""
    listener.close()
    for client in clients:
        client.close()


class WithoutDescriptors:
    """A listening socket that lacks descriptors once."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._failed = False

    def accept(self):
        if not self._failed:
            self._failed = True
            raise OSError(errno.EMFILE, "Too many open files")
        return self._socket.accept()

    def close(self) -> None:
        self._socket.close()


def _read_on(connection: Connection) -> None:
    while True:
        connection.read()


def _all_of(sock: socket.socket) -> bytes:
    received = b""
    with suppress(BlockingIOError):
        while data := sock.recv(1 << 20):
            received += data
    return received
