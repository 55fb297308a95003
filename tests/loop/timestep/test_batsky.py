from __future__ import annotations

import json
import socket
import struct
import threading

import pytest

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.durations import SECOND
from wavetank.loop.errors import ProcessError
from wavetank.loop.timesteps.batsky import Batsky


class Replier(threading.Thread):
    """A scheduler's side of the protocol: a ZeroMQ REP socket, by hand."""

    def __init__(self, timers, last=b"done"):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.timers, self.last = timers, last
        self.heard = []
        self.start()

    def run(self):
        with self.listener, self.listener.accept()[0] as connection, connection.makefile("rwb") as stream:
            self.reply(stream)

    def reply(self, stream):
        assert stream.read(64)[:12] == b"\xff" + bytes(8) + b"\x7f\x03\x00"
        stream.write(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
        stream.flush()
        assert b"Socket-Type\x00\x00\x00\x03REQ" in stream.read(stream.read(2)[1])
        ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x03REP"
        stream.write(bytes([4, len(ready)]) + ready)
        stream.flush()
        for timers in self.timers:
            for answer in (json.dumps(timers).encode(), self.last):
                assert stream.read(2) == b"\x01\x00"
                self.heard.append(stream.read(stream.read(2)[1]))
                size = bytes([0, len(answer)]) if len(answer) < 256 else b"\x02" + struct.pack(">Q", len(answer))
                stream.write(b"\x01\x00" + size + answer)
                stream.flush()


def test_the_scheduler_is_told_the_time_and_tells_its_timers():
    replier = Replier([[], [SECOND, 5], list(range(1, 200))])
    batsky = Batsky(replier.endpoint, SECOND)
    assert batsky.tell(0) == []
    assert batsky.tell(7) == [SECOND, 5]
    assert len(batsky.tell(10 * SECOND)) == 199
    batsky.close()
    ready, times = replier.heard[::2], [struct.unpack("<Q", time)[0] for time in replier.heard[1::2]]
    assert ready == [b"ready"] * 3
    assert times == [EPOCH_SECONDS * SECOND + now for now in (0, 7, 10 * SECOND)]


def test_one_that_says_something_else_is_refused():
    batsky = Batsky(Replier([[]], b"what?").endpoint, SECOND)
    with pytest.raises(ProcessError, match=r"does not speak batsky's protocol: it said b'what\?'"):
        batsky.tell(0)
    batsky.close()


def test_nobody_there_is_a_fault_after_the_crash_timeout():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ProcessError, match=r"does not speak batsky's protocol: .*refused"):
        Batsky(f"tcp://127.0.0.1:{port}", SECOND // 10).tell(0)
