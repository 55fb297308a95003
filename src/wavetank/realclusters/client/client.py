from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import msgspec

from wavetank.batchoperator.client.remote.connection import JSON, UnreachableError, refusal
from wavetank.batchoperator.client.remote.kubeconfig import Server
from wavetank.realclusters.client.connection import BrokenError, Connection

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
CONNECTIONS = 32

_TIMEOUT_S = 30.0
_WATCH_S = 300  # after which the server ends a watch, and a new one begins
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class ApiClient:
    """Sends requests to an API server over at most `connections` connections, which are kept open.

    Use it inside one event loop. Watches have connections of their own.
    """

    def __init__(self, server: Server, connections: int = CONNECTIONS) -> None:
        self.url = server.url
        self._tls = server.tls
        parts = urlsplit(server.url)
        self._host, self._port = parts.hostname or "", parts.port or (443 if server.tls else 80)
        self._prefix = parts.path
        headers = {"Host": parts.netloc, "Accept": JSON, **server.headers}
        self._head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._slots = asyncio.Semaphore(connections)
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()

    async def request(self, method: str, path: str, body: object = None, content_type: str = JSON) -> bytes:
        """Returns the answer; ApiError as the server's Status says, UnreachableError if there is none."""
        message = self._message(method, path, body, content_type)
        async with self._slots:
            status, content = await self._exchange(message, is_repeatable=method != "POST")
        if status >= 300:
            raise refusal(status, content)
        return content

    async def read(self, method: str, path: str, body: object = None, content_type: str = JSON) -> Any:
        """Returns the decoded answer; errors as `request`."""
        return _decode(await self.request(method, path, body, content_type))

    async def watch(self, path: str, version: str) -> AsyncIterator[list[dict[str, Any]]]:
        """Yields the events after a resource version, those that came together, until the server ends the watch."""
        joint = "&" if "?" in path else "?"
        query = f"watch=1&allowWatchBookmarks=true&timeoutSeconds={_WATCH_S}&resourceVersion={version}"
        lines = _Lines()
        connection = await self._connect()
        answer = asyncio.ensure_future(
            connection.send(self._message("GET", f"{path}{joint}{query}", None, JSON), lines.feed)
        )
        answer.add_done_callback(lambda _: lines.arrived.set())
        try:
            while not answer.done() or lines.complete:
                await lines.arrived.wait()
                lines.arrived.clear()
                if events := lines.take():
                    yield events
            status, content = answer.result()
            if status != 200:
                raise refusal(status, content)
        except (BrokenError, OSError, ValueError) as error:
            raise UnreachableError(f"{self.url} does not answer: {error}") from None
        finally:
            self._drop(connection)
            answer.cancel()

    def close(self) -> None:
        """Closes all connections."""
        for connection in list(self._open):
            self._drop(connection)
        self._idle.clear()

    async def _exchange(self, message: bytes, is_repeatable: bool) -> tuple[int, bytes]:
        while self._idle:  # the server may have closed it meanwhile, without having read the request
            kept = self._idle.pop()
            try:
                return await self._send(kept, message)
            except BrokenError as error:
                if not is_repeatable:
                    raise UnreachableError(f"{self.url} does not answer: {error}") from None
        try:
            return await self._send(await self._connect(), message)
        except BrokenError as error:
            raise UnreachableError(f"{self.url} does not answer: {error}") from None

    async def _send(self, connection: Connection, message: bytes) -> tuple[int, bytes]:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                return await connection.send(message)
        except TimeoutError:
            raise UnreachableError(f"{self.url} does not answer within {_TIMEOUT_S:.0f} s") from None
        finally:
            if connection.reusable:
                self._idle.append(connection)
            else:
                self._drop(connection)

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                _, made = await loop.create_connection(Connection, self._host, self._port, ssl=self._tls)
        except (OSError, TimeoutError) as error:
            raise UnreachableError(f"{self.url} does not answer: {error or 'no connection'}") from None
        self._open.add(made)
        return made

    def _drop(self, connection: Connection) -> None:
        connection.close()
        self._open.discard(connection)

    def _message(self, method: str, path: str, body: object, content_type: str) -> bytes:
        payload = b"" if body is None else _encode(body)
        typed = f"Content-Type: {content_type}\r\n" if payload else ""
        head = f"{method} {self._prefix}{path} HTTP/1.1\r\n{self._head}{typed}Content-Length: {len(payload)}\r\n\r\n"
        return head.encode("latin-1") + payload


class _Lines:
    """The lines of a body that comes in parts, decoded."""

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        self.complete = b""
        self._rest: list[bytes] = []

    def feed(self, part: bytes) -> None:
        """Adds a part."""
        head, newline, tail = part.rpartition(b"\n")
        if newline:
            self.complete += b"".join([*self._rest, head, newline])
            self._rest = [tail]
            self.arrived.set()
        else:
            self._rest.append(part)

    def take(self) -> list[dict[str, Any]]:
        """Returns the complete lines, and forgets them."""
        lines, self.complete = self.complete, b""
        return [_decode(line) for line in lines.split(b"\n") if line]
