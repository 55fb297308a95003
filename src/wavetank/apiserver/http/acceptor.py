from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Collection
from contextlib import suppress

from wavetank.apiserver.http.connectionlimit import LIMIT

_AT_ONCE = 100  # connections that are accepted before requests go on
_PAUSE_S = 1.0  # if the process has no more descriptors
_HANDSHAKE = b"\x16"  # the first byte of TLS; no HTTP request begins with it


class Acceptor:
    """Accepts connections with TLS and in plain HTTP on one socket: their first byte tells them apart.

    A connection whose first byte does not come within `patience_s` seconds is closed. `connections` are those that
    were accepted before: if there are too many, an idle one is closed.
    """

    def __init__(
        self,
        listening: socket.socket,
        make_protocol: Callable[[], asyncio.Protocol],
        tls: ssl.SSLContext,
        patience_s: float,
        connections: Collection[object],
    ) -> None:
        self._listening = listening
        self._make_protocol = make_protocol
        self._tls = tls
        self._patience_s = patience_s
        self._connections = connections
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None
        listening.setblocking(False)
        self._start()

    def close(self) -> None:
        """Accepts no more connections, and drops those that have not begun."""
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._listening)
        for task in self._tasks:
            task.cancel()

    def _start(self) -> None:
        self._loop.add_reader(self._listening, self._accept)

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                connection, _ = self._listening.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as error:
                LIMIT.tell(error.strerror or str(error))
                self._loop.remove_reader(self._listening)
                self._pause = self._loop.call_later(_PAUSE_S, self._start)
                return
            if not LIMIT.make_room(self._connections):
                connection.close()
                continue
            task = self._loop.create_task(self._serve(connection))
            self._tasks.add(task)
            LIMIT.silent[task] = None
            task.add_done_callback(self._forget)
            if LIMIT.is_reached(self._connections):
                return  # so that those that give way are closed

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        LIMIT.silent.pop(task, None)

    async def _serve(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            first = await asyncio.wait_for(self._first_byte(connection), self._patience_s)
            tls = self._tls if first == _HANDSHAKE else None
            timeout = self._patience_s if tls is not None else None
            await self._loop.connect_accepted_socket(
                self._make_protocol, connection, ssl=tls, ssl_handshake_timeout=timeout
            )
        except (OSError, TimeoutError):  # a client that left, is silent, or does not trust the certificate
            connection.close()
        except asyncio.CancelledError:
            connection.close()
            raise

    async def _first_byte(self, connection: socket.socket) -> bytes:
        """Returns the first byte, and leaves it there."""
        while True:
            with suppress(BlockingIOError):
                return connection.recv(1, socket.MSG_PEEK)
            readable = self._loop.create_future()
            self._loop.add_reader(connection, _wake, readable)
            try:
                await readable
            finally:
                self._loop.remove_reader(connection)


def _wake(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)
