"""ZeroMQ sockets on which one message is answered by one message."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from wavetank.batsim.protocol import ProtocolError
from wavetank.errors import InputError

if TYPE_CHECKING:
    import zmq

_SLICE = 200  # ms between two looks at whether the peer is still there
_LARGEST_MESSAGE = 64 << 20  # bytes; a peer that sends more is disconnected
_MOST_QUEUED = 2  # messages of a peer that does not wait for its answers


class _Socket:
    """A socket of a kind with a watch on its connections."""

    def __init__(self, kind: str, endpoint: str) -> None:
        try:
            import zmq
            from zmq.utils.monitor import recv_monitor_message
        except ImportError:
            raise InputError("this needs pyzmq: pip install 'wavetank[batsim]'") from None
        self._zmq = zmq
        self._read_event = recv_monitor_message
        self.endpoint = endpoint
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(getattr(zmq, kind))
        self._socket.linger = 0
        self._socket.rcvtimeo = _SLICE
        self._socket.maxmsgsize = _LARGEST_MESSAGE
        self._socket.rcvhwm = _MOST_QUEUED
        self._watch = self._socket.get_monitor_socket(zmq.EVENT_CONNECTED | zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED)
        self._connected = False
        self._gone = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.disable_monitor()
        self._context.destroy(linger=0)

    def _receive(self, patience: float | None) -> bytes:
        """Waits for a message; ProtocolError if no peer connects within `patience` seconds, or it goes."""
        waited = 0.0
        while True:
            try:
                return self._whole(self._socket.recv_multipart())
            except self._zmq.Again:
                self._look()
            waited += _SLICE / 1000
            if self._gone:
                raise ProtocolError(f"{self.endpoint}: the program at the other end has closed the connection")
            if not self._connected and patience is not None and waited >= patience:
                raise ProtocolError(f"{self.endpoint}: no program has connected within {patience:g} s")

    def _whole(self, parts: list[bytes]) -> bytes:
        if len(parts) > 1:
            raise ProtocolError(f"{self.endpoint}: expected a message of one part, got {len(parts)}")
        return parts[0]

    def _look(self) -> None:
        while self._watch.poll(0):
            if self._read_event(self._watch)["event"] != self._zmq.EVENT_DISCONNECTED:
                self._connected = True
            elif self._connected:
                self._gone = True  # for good: it may connect again, but what was sent is lost


class Requester(_Socket):
    """Batsim's side: sends a message to a scheduler that listens at `endpoint`, and waits for its answer."""

    def __init__(self, endpoint: str, patience: float | None = None) -> None:
        _check_port(endpoint)
        super().__init__("REQ", endpoint)
        self._patience = patience
        try:
            self._socket.connect(endpoint)
        except self._zmq.ZMQError as error:
            self._context.destroy(linger=0)
            raise InputError(f"{error} (expected an endpoint such as tcp://localhost:28000)", source=endpoint) from None

    def exchange(self, message: bytes) -> bytes:
        """Sends a message and returns the answer."""
        self._socket.send(message)
        return self._receive(self._patience)


class Replier(_Socket):
    """The scheduler's side: listens at `endpoint` for a Batsim."""

    def __init__(self, endpoint: str, patience: float | None = None) -> None:
        if not endpoint.endswith(":*"):  # any free port
            _check_port(endpoint)
        super().__init__("REP", endpoint)
        self._patience = patience
        try:
            self._socket.bind(endpoint)
        except self._zmq.ZMQError as error:
            self._context.destroy(linger=0)
            raise InputError(f"{error} (expected an endpoint such as tcp://*:28000)", source=endpoint) from None

    def receive(self) -> bytes:
        """Waits for the next message."""
        return self._receive(self._patience)

    def reply(self, message: bytes) -> None:
        """Answers the message that was received last."""
        self._socket.send(message)


def _check_port(endpoint: str) -> None:
    """Refuses a port that cannot be: ZeroMQ would wait forever."""
    port = endpoint.rpartition(":")[2]
    if endpoint.startswith("tcp://") and not (port.isascii() and port.isdecimal() and 0 < int(port) < 1 << 16):
        raise InputError(f"expected a port from 1 to 65535, got {port!r:.60}", source=endpoint)
