"""The client of API servers: connections that the server closes, and the order of what is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from wavetank.batchoperator.client.remote.connection import UnreachableError
from wavetank.batchoperator.client.remote.kubeconfig import Server
from wavetank.cluster.store.errors import ApiError, NotFoundError
from wavetank.realclusters.client.client import ApiClient
from wavetank.realclusters.client.outbox import Outbox, Request

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def with_server(handler: Handler, use: Callable[[ApiClient], Awaitable[None]]) -> None:
    writers: list[asyncio.StreamWriter] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await handler(reader, writer)
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        client = ApiClient(Server(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", {}))
        try:
            await use(client)
        finally:
            client.close()
            server.close()
            for writer in writers:
                with suppress(ConnectionError):
                    await writer.wait_closed()

    asyncio.run(main())


async def read_request(reader: asyncio.StreamReader) -> tuple[str, str]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = next(int(line.split()[1]) for line in head.splitlines() if line.startswith("Content-Length"))
    return head.split()[1], (await reader.readexactly(length)).decode()


def answer(writer: asyncio.StreamWriter, body: bytes = b"{}", status: int = 200) -> None:
    writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


async def one_each(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers one request, and closes the connection without having said so."""
    await read_request(reader)
    answer(writer)
    await writer.drain()


def test_a_request_is_repeated_if_the_server_has_closed_a_kept_connection() -> None:
    async def use(client: ApiClient) -> None:
        for _ in range(20):
            assert await client.read("GET", "/x") == {}

    with_server(one_each, use)


def test_a_connection_that_is_being_closed_is_not_used_again() -> None:
    async def use(client: ApiClient) -> None:
        await client.request("GET", "/x")
        for connection in client._idle:  # closed, while the loop has not said so yet
            assert connection._transport is not None
            connection._transport.close()
        async with asyncio.timeout(60):
            await client.request("GET", "/x")

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            answer(writer)

    with_server(keep, use)


def test_an_error_is_that_of_the_status() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        answer(writer, b'{"reason": "NotFound", "message": "no such pod", "code": 404}', 404)
        await writer.drain()

    async def use(client: ApiClient) -> None:
        with pytest.raises(NotFoundError, match="no such pod"):
            await client.request("GET", "/x")

    with_server(refuse, use)


def test_a_server_that_is_away_is_unreachable() -> None:
    async def main() -> None:
        client = ApiClient(Server("http://127.0.0.1:1", {}))
        with pytest.raises(UnreachableError):
            await client.request("GET", "/x")

    asyncio.run(main())


class Recording:
    """A client that notes what it is asked for, and fails the first time."""

    def __init__(self, failures: int = 0) -> None:
        self.sent: list[str] = []
        self._failures = failures

    async def request(self, method: str, path: str, body: object, content_type: str) -> bytes:
        if self._failures:
            self._failures -= 1
            raise UnreachableError("away")
        self.sent.append(path)
        await asyncio.sleep(0)
        return b""


def sent(puts: list[tuple[str, str, bool]], failures: int = 0) -> list[str]:
    async def main() -> list[str]:
        client = Recording(failures)
        outbox = Outbox(client, refuse, workers=1)  # type: ignore[arg-type]
        for key, path, urgent in puts:
            outbox.put(key, lambda path=path: [Request("PATCH", path)], urgent)  # type: ignore[misc]
        running = asyncio.ensure_future(outbox.run())
        while not outbox.idle:
            await asyncio.sleep(0.01)
        running.cancel()
        return client.sent

    return asyncio.run(main())


def refuse(key: object, request: Request, error: ApiError) -> None:
    raise AssertionError(f"{key} was refused: {error}")


@pytest.mark.parametrize(
    ("puts", "expected"),
    [
        pytest.param([("a", "1", False), ("a", "2", False)], ["2"], id="only the latest of a key"),
        pytest.param([("a", "1", False), ("b", "2", False)], ["1", "2"], id="in order"),
        pytest.param(
            [("a", "1", False), ("b", "2", False), ("x", "3", True), ("y", "4", True), ("z", "5", True)],
            ["3", "1", "4", "2", "5"],
            id="urgent ones first, and by turns",
        ),
    ],
)
def test_what_is_put_is_sent(puts: list[tuple[str, str, bool]], expected: list[str]) -> None:
    assert sent(puts) == expected


def test_what_a_server_does_not_answer_is_sent_again() -> None:
    assert sent([("a", "1", False), ("b", "2", False)], failures=2) == ["1", "2"]
