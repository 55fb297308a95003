"""One HTTP connection of a program: requests come out whole, and nothing ever waits on a full buffer."""

from __future__ import annotations

import socket
from contextlib import suppress

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


def _all_of(sock: socket.socket) -> bytes:
    received = b""
    with suppress(BlockingIOError):
        while data := sock.recv(1 << 20):
            received += data
    return received
