"""Bytes that are still on their way between a program and the simulation keep it from being taken for quiet."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from tests.loop.programs import an_experiment, run_entry, seconds_of
from wavetank.loop.transport import listener as transport
from wavetank.loop.transport.connection import Connection
from wavetank.loop.transport.inflight import InFlight
from wavetank.loop.transport.listener import Listener

PLAIN = Path(__file__).parents[1] / "plain_scheduler.py"
PACING = 47  # SO_MAX_PACING_RATE: bytes per second, from the tenth segment of a connection on
RATE = 30_000


class SlowConnection(Connection):
    """A connection whose bytes take their time."""

    def __init__(self, sock: socket.socket, *more: object) -> None:
        sock.setsockopt(socket.SOL_SOCKET, PACING, RATE)
        super().__init__(sock, *more)


@pytest.mark.parametrize("slow", ["responses", "requests"])
def test_a_slow_network_changes_nothing(monkeypatch, slow):
    behaviour = ["slow"] if slow == "requests" else []
    if slow == "responses":
        monkeypatch.setattr(transport, "Connection", SlowConnection)
    experiment = an_experiment(
        cluster={"nodes": [{"count": 2, "cpu": 1, "memory": "8Gi"}]},
        workload={"generator": {"kind": "burst", "pods": 10, "duration": 100, "requests": {"cpu": 1}}},
        schedulers=[{"name": "mine", "process": {"command": [sys.executable, str(PLAIN), "{server}", *behaviour]}}],
    )
    finished = [round(seconds_of(row.finished), 1) for row in run_entry(experiment).rows]
    assert finished == [100, 100, 200, 200, 300, 300, 400, 400, 500, 500]


@pytest.fixture
def listener():
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    listener = Listener(sock, lambda connection, request: None)
    yield listener
    listener.close()


def test_nothing_is_in_flight_once_it_has_arrived(listener):
    network = InFlight([listener])
    with socket.create_connection(listener.socket.getsockname()) as client:
        assert not network.any()
        (connection,) = listener
        connection.sent += 5  # as if the kernel still had them
        assert network.any()
        connection.sent -= 5
        client.sendall(b"GET / HTTP/1.1\r\n")
        assert not network.any()
        listener.drop(connection)
        assert not network.any()
    network.close()


def test_unread_bytes_do_not_count(listener):
    """A program that does not read would otherwise never be quiet."""
    network = InFlight([listener])
    with socket.create_connection(listener.socket.getsockname()):
        listener.accept()
        (connection,) = listener
        connection._unsent += bytes(1 << 26)
        while connection.flush():
            pass
        assert connection.waits
        assert not network.any()
    network.close()
