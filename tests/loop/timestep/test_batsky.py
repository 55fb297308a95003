from __future__ import annotations

import socket
import struct
import sys

import pytest

from tests.loop.timestep.replier import Replier
from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.experiments.document.structures.schedulers import SyncSpec
from wavetank.experiments.document.sync import make_sync
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.loop.errors import ProcessError
from wavetank.loop.timesteps.batsky import Batsky
from wavetank.loop.timesteps.timestep import Timestep


@pytest.fixture
def replier():
    made = []

    def start(*arguments):
        made.append(Replier(*arguments))
        return made[-1]

    yield start
    for each in made:
        each.stop()


def a_free_endpoint():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"tcp://127.0.0.1:{listener.getsockname()[1]}"


def test_the_scheduler_gets_the_time_and_reports_its_timers(replier):
    scheduler = replier([[], [SECOND, 5], list(range(1, 200))])
    batsky = Batsky(scheduler.endpoint, 10 * SECOND)
    assert batsky.exchange(0) == []
    assert batsky.exchange(7) == [SECOND, 5]
    assert len(batsky.exchange(10 * SECOND)) == 199
    batsky.close()
    ready, times = scheduler.heard[::2], [struct.unpack("<Q", time)[0] for time in scheduler.heard[1::2]]
    assert ready == [b"ready"] * 3
    assert times == [EPOCH_SECONDS * SECOND + now for now in (0, 7, 10 * SECOND)]


def test_a_scheduler_that_answers_something_else_is_refused(replier):
    batsky = Batsky(replier([[]], b"what?").endpoint, 10 * SECOND)
    with pytest.raises(ProcessError, match=r"does not speak batsky's protocol: it said b'what\?'"):
        batsky.exchange(0)
    batsky.close()


def test_a_scheduler_that_does_not_listen_is_a_fault_after_the_crash_timeout():
    batsky = Batsky(a_free_endpoint(), SECOND // 10)
    with pytest.raises(ProcessError, match=r"has not answered within 0\.1 s"):
        batsky.exchange(0)
    batsky.close()


def test_the_connection_is_closed_with_the_time_steps(replier):
    scheduler, clock = replier([[]]), Clock()
    sync = SyncSpec.read({"mode": "timestep", "batsky-endpoint": scheduler.endpoint}, "sync")
    loop = Timestep(clock, Store(clock), make_sync(sync))
    assert loop._batsky is not None
    loop._batsky.exchange(0)
    loop.close()
    assert scheduler.is_left()


def test_without_pyzmq_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "zmq", None)
    with pytest.raises(InputError, match=r"sync\.batsky-endpoint: this needs pyzmq: pip install 'wavetank\[batsim\]'"):
        Batsky("tcp://127.0.0.1:1", SECOND)
