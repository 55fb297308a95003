from __future__ import annotations

import errno
import select
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

from wavetank.apiserver.requests.request import Request
from wavetank.loop.transport.connection import Address, Connection, ConnectionLostError, Ends

_QUEUE = 4096
_MOST_CONNECTIONS = 1000  # programs have one for each watch, and a few more
_NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)
_READABLE = select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR

Serve = Callable[[Connection, Request], None]


class Listener:
    """A listening socket of one program and its connections, in the order in which they were accepted.

    `closes_idle`: if there are too many, the oldest idle one is closed. Else a lack of descriptors raises OSError.
    Requests are passed to `serve` in that order, whatever the kernel's. Each program has its own listeners, so that the
    order between programs does not matter.
    """

    def __init__(self, sock: socket.socket, serve: Serve, *, closes_idle: bool = False) -> None:
        sock.listen(_QUEUE)
        sock.setblocking(False)
        self.socket = sock
        self._serve = serve
        self._closes_idle = closes_idle
        self._connections: dict[int, Connection] = {}
        self._unsent: dict[int, Connection] = {}
        self._epoll = select.epoll()
        self._made = 0
        self.closed: deque[Ends] = deque(maxlen=_QUEUE)  # TCP connections that were closed on this side

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._connections.values()))

    @property
    def descriptors(self) -> tuple[int, int]:
        """Returns the file descriptors that become readable on a new connection or new data."""
        return self.socket.fileno(), self._epoll.fileno()

    def accept(self) -> None:
        """Accepts all pending connections."""
        while (accepted := self._accept_one()) is not None:
            full = self._closes_idle and len(self._connections) >= _MOST_CONNECTIONS
            if full and not self._close_idle():
                accepted[0].close()
                continue
            self._made += 1
            connection = Connection(accepted[0], self._made, self._serve, accepted[1])
            self._connections[connection.fileno()] = connection
            self._epoll.register(connection.fileno(), _READABLE)

    def _accept_one(self) -> tuple[socket.socket, Address] | None:
        while True:
            try:
                return self.socket.accept()
            except BlockingIOError:
                return None
            except OSError as error:
                if not self._closes_idle or error.errno not in _NO_DESCRIPTORS:
                    raise
                if not self._close_idle():
                    return None  # it waits for another one to end

    def _close_idle(self) -> bool:
        """Closes the oldest idle connection; False if there is none."""
        idle = next((connection for connection in self if connection.is_idle), None)
        if idle is not None:
            self.drop(idle)
        return idle is not None

    def read(self) -> bool:
        """Reads and serves everything that has arrived; False if nothing has."""
        self.accept()
        came = False
        while ready := self._ready():
            for connection in ready:
                if not connection.closed:
                    came = self._read(connection) or came
        return came

    def _ready(self) -> list[Connection]:
        found = self._epoll.poll(0, max(1, len(self._connections)))
        return sorted((self._connections[fd] for fd, _ in found), key=lambda each: each.number)

    def _read(self, connection: Connection) -> bool:
        try:
            came = connection.read()
        except ConnectionLostError:
            self.drop(connection)
            return True
        if connection.waits:
            self.send(connection)
        return came

    def send(self, connection: Connection) -> None:
        """Marks a connection that has something to send, for the next `flush`."""
        self._unsent[connection.number] = connection

    def flush(self) -> bool:
        """Sends what is pending, connection by connection; True if anything was sent."""
        went = False
        for number, connection in sorted(self._unsent.items()):
            if not connection.closed:
                fd = connection.fileno()
                went = connection.flush() or went
                if connection.closed:
                    self._forget(fd)
            if not connection.waits:
                self._unsent.pop(number, None)
        return went

    @property
    def waits(self) -> bool:
        """Tells whether anything is still to be sent."""
        return bool(self._unsent)

    def drop(self, connection: Connection) -> None:
        """Closes a connection at once."""
        fd = connection.fileno()
        self._unsent.pop(connection.number, None)
        self._forget(fd)
        connection.close()

    def _forget(self, fd: int) -> None:
        connection = self._connections.pop(fd, None)
        if connection is not None and connection.ends is not None:
            self.closed.append(connection.ends)
        if connection is not None and fd >= 0:
            with suppress(OSError):  # a closed descriptor is no longer registered
                self._epoll.unregister(fd)

    def close(self) -> None:
        """Closes the socket and all connections."""
        for connection in self:
            connection.close()
        self._connections.clear()
        self._epoll.close()
        self.socket.close()
