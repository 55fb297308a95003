from __future__ import annotations

import socket
import struct
import time
from urllib.parse import urlsplit

import msgspec

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.loop.errors import ProcessError

# ZMTP 3.0, as ZeroMQ speaks it over TCP: a greeting without security, then frames.
_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_READY = b"\x05READY\x0bSocket-Type" + struct.pack(">I", 3) + b"REQ"
_MORE, _LONG, _COMMAND = 1, 2, 4
_RETRY_S = 0.05

_durations = msgspec.json.Decoder(list[int])


def parse_endpoint(endpoint: str) -> tuple[str, int]:
    """Reads tcp://HOST:PORT."""
    parts = urlsplit(endpoint)
    try:
        if parts.scheme == "tcp" and parts.hostname and parts.port:
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise InputError(f"expected tcp://HOST:PORT, got {endpoint!r:.60}")


class Batsky:
    """Tells the simulated time to a scheduler that speaks batsky-go's protocol.

    The scheduler replies (a ZeroMQ REP that listens); we ask. ProcessError if it does not answer in time.
    """

    def __init__(self, endpoint: str, patience: Nanoseconds) -> None:
        self._endpoint = endpoint
        self._patience_s = patience / SECOND
        self._socket: socket.socket | None = None

    def tell(self, now: Nanoseconds) -> list[Nanoseconds]:
        """Makes one exchange; returns the durations of the timers that it has set."""
        try:
            connection = self._socket or self._connect()
            _send(connection, b"ready")
            timers = _durations.decode(_receive(connection))
            _send(connection, struct.pack("<Q", EPOCH_SECONDS * SECOND + now))
            answer = _receive(connection)
        except (OSError, msgspec.MsgspecError) as error:
            raise ProcessError(self._endpoint, f"does not speak batsky's protocol: {error}") from None
        if answer != b"done":
            raise ProcessError(self._endpoint, f"does not speak batsky's protocol: it said {answer!r:.40}")
        return [timer for timer in timers if timer > 0]

    def _connect(self) -> socket.socket:
        """Connects as soon as somebody listens."""
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                connection = socket.create_connection(parse_endpoint(self._endpoint), self._patience_s)
                break
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connection
        connection.sendall(_GREETING)
        _take(connection, len(_GREETING))
        connection.sendall(bytes([_COMMAND, len(_READY)]) + _READY)
        _frame(connection)  # its READY
        return connection

    def close(self) -> None:
        """Hangs up."""
        if self._socket is not None:
            self._socket.close()


def _send(connection: socket.socket, message: bytes) -> None:
    """Sends a request: an empty frame, then the message."""
    connection.sendall(bytes([_MORE, 0, 0, len(message)]) + message)


def _receive(connection: socket.socket) -> bytes:
    """Reads a reply: the frame that no other follows."""
    while True:
        flags, body = _frame(connection)
        if not flags & (_MORE | _COMMAND):
            return body


def _frame(connection: socket.socket) -> tuple[int, bytes]:
    flags = _take(connection, 1)[0]
    size = struct.unpack(">Q", _take(connection, 8))[0] if flags & _LONG else _take(connection, 1)[0]
    return flags, _take(connection, size)


def _take(connection: socket.socket, size: int) -> bytes:
    taken = b""
    while len(taken) < size:
        part = connection.recv(size - len(taken))
        if not part:
            raise ConnectionError("it has hung up")
        taken += part
    return taken
