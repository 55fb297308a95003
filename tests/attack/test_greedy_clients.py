"""Clients that hold connections and memory: they are cut off, and others are served."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import pytest
import uvicorn

from tests.apiserver.inprocess import MAPS, Caller
from tests.apiserver.transport.test_streaming import Client
from tests.support.waiting import PATIENCE_S
from wavetank.apiserver.http import asgi, messages, protocol, server
from wavetank.apiserver.http.connectionlimit import ConnectionLimit
from wavetank.apiserver.http.messages import send_response
from wavetank.apiserver.http.unread import UnreadBodies
from wavetank.apiserver.requests.request import Response

MB = 1 << 20
Address = tuple[str, int]


async def reading(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads a body, or says why it cannot."""
    try:
        body = await messages.read_body(messages.read_headers(scope), receive)
        answer = Response(200, [], b"%d" % len(body))
    except messages.StatusError as error:
        answer = Response(error.code, [])
    await send_response(answer, scope, send)


def served(client: Callable[[Address], Awaitable[Any]]) -> Any:
    """Runs a client against a server in this process."""

    async def main() -> Any:
        config = server.make_config(reading)  # type: ignore[arg-type]
        config.load()
        make = partial(protocol.HttpProtocol, config=config, server_state=uvicorn.server.ServerState(), app_state={})
        listening = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
        try:
            return await asyncio.wait_for(client(listening.sockets[0].getsockname()), PATIENCE_S)
        finally:
            listening.close()

    return asyncio.run(main())


def test_a_body_that_does_not_come_is_no_longer_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_BODY_S", 0.05)

    async def client(address: Address) -> bytes:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nbegun")
        answer = await reader.read()  # to the end: the connection is closed
        writer.close()
        return answer

    assert served(client).startswith(b"HTTP/1.1 408")


def test_the_connection_that_was_idle_for_longest_gives_way_to_a_new_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(protocol, "LIMIT", ConnectionLimit(3))

    async def client(address: Address) -> tuple[bytes, bytes]:
        idle = [await asyncio.open_connection(*address) for _ in range(3)]
        for reader, writer in idle[1:]:  # the first one has never sent a request
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n0")
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = await reader.readuntil(b"\r\n\r\n0")
        with suppress(ConnectionError):
            assert await idle[0][0].read() == b""
        idle[1][1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        still = await idle[1][0].readuntil(b"\r\n\r\n0")
        for _, each in (*idle, (reader, writer)):
            each.close()
        return answer, still

    assert all(answer.startswith(b"HTTP/1.1 200") for answer in served(client))
    assert "as many connections are open" in caplog.text


def test_a_large_body_goes_to_its_client_in_pieces() -> None:
    async def main() -> list[bytes]:
        client = Client()
        await UnreadBodies().send(b"x" * MB, client.cut, client.send)
        assert client.ended
        return client.got

    assert {len(piece) for piece in asyncio.run(main())} == {MB // 4}


@contextmanager
def not_reading(bodies: UnreadBodies, clients: int, size: int) -> Iterator[list[Client]]:
    """Sends a body to each of so many clients that read nothing."""
    those = [Client() for _ in range(clients)]
    with ExitStack() as stack:
        for client in those:
            client.reads.clear()
            sending = asyncio.ensure_future(bodies.send(b"x" * size, client.cut, client.send))
            stack.callback(sending.cancel)
        yield those


def test_the_client_that_stalls_longest_is_cut_off_when_too_much_is_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavetank.apiserver.http.unread._STALLED_S", 0.0)

    async def main() -> None:
        bodies = UnreadBodies(10 * MB)
        with not_reading(bodies, 9, MB) as clients:
            await asyncio.sleep(0)
            assert bodies.has_room(MB)
            assert not any(client.was_cut for client in clients)
            assert bodies.has_room(3 * MB)
            assert [client.was_cut for client in clients] == [True] * 2 + [False] * 7

    asyncio.run(main())


def test_those_that_read_are_not_cut_off_and_a_new_one_has_to_wait() -> None:
    async def main() -> None:
        bodies = UnreadBodies(10 * MB)
        with not_reading(bodies, 9, MB) as clients:
            await asyncio.sleep(0)
            assert not bodies.has_room(3 * MB), "they have been served a moment ago"
            assert not any(client.was_cut for client in clients)

    asyncio.run(main())


def test_encoded_objects_are_kept_up_to_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavetank.apiserver.verbs.encodedobjects._MOST_BYTES", 10_000)
    caller = Caller()
    for i in range(100):
        document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"a{i}"}, "data": {"a": "x" * 900}}
        assert caller.ask("POST", MAPS, document).status == 201
    assert len(caller.ask("GET", MAPS).names) == 100
    assert sum(map(len, caller.api._objects._encoded.values())) < 12_000


def test_the_end_of_its_terminal_stops_a_server_like_the_other_signals() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    try:
        made = server.make_server(reading)  # type: ignore[arg-type]
        assert [signal.getsignal(number) for number in numbers] == [made.handle_exit] * 3
    finally:
        for number, action in zip(numbers, before, strict=True):
            signal.signal(number, action)


def test_what_a_client_waits_for_ends_when_it_is_gone() -> None:
    cancelled: list[bool] = []

    async def advance() -> Response:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return Response(200, [])

    async def main() -> None:
        client = Client()
        asyncio.get_running_loop().call_soon(client.leave)
        with pytest.raises(messages.ClientGoneError):
            await asgi._unless_gone(advance(), client.receive)
        await asyncio.sleep(0)

    asyncio.run(main())
    assert cancelled == [True]
