from __future__ import annotations

import struct
from urllib.parse import urlsplit

import msgspec

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.loop.errors import ProcessError

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
    """Sends the simulated time to a scheduler that speaks batsky-go's protocol.

    The scheduler listens on a ZeroMQ REP socket at `endpoint`. InputError if pyzmq is not installed.
    """

    def __init__(self, endpoint: str, timeout: Nanoseconds) -> None:
        try:
            import zmq
        except ImportError:
            raise InputError("this needs pyzmq: pip install 'wavetank[batsim]'", path="sync.batsky-endpoint") from None
        self._no_answer: type[Exception] = zmq.Again
        self._endpoint = endpoint
        self._timeout = timeout
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.REQ)
        self._socket.linger = 0
        self._socket.sndtimeo = self._socket.rcvtimeo = timeout * 1000 // SECOND
        self._socket.connect(endpoint)

    def exchange(self, now: Nanoseconds) -> list[Nanoseconds]:
        """Sends the simulated time; returns the durations of the timers that the scheduler has set.

        ProcessError if it does not answer within the timeout, or answers something else.
        """
        try:
            timers = _durations.decode(self._ask(b"ready"))
            answer = self._ask(struct.pack("<Q", EPOCH_SECONDS * SECOND + now))
        except self._no_answer:
            raise ProcessError(self._endpoint, f"has not answered within {self._timeout / SECOND:g} s") from None
        except msgspec.MsgspecError as error:
            raise ProcessError(self._endpoint, f"does not speak batsky's protocol: {error}") from None
        if answer != b"done":
            raise ProcessError(self._endpoint, f"does not speak batsky's protocol: it said {answer!r:.40}")
        return [timer for timer in timers if timer > 0]

    def _ask(self, message: bytes) -> bytes:
        self._socket.send(message)
        return self._socket.recv()

    def close(self) -> None:
        """Closes the connection."""
        self._context.destroy(linger=0)
