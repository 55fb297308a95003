"""The commands with a peer that is not there, goes away or talks nonsense."""

import json
import socket
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from wavetank.batsim import sockets
from wavetank.batsim.protocol import ProtocolError

zmq = pytest.importorskip("zmq")

PLATFORM = """<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>
  <host id="a" speed="1Mf"/></zone></platform>"""
WORKLOAD = """{"nb_res": 1, "jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "d"}],
  "profiles": {"d": {"type": "delay", "delay": 10}}}"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "p.xml").write_text(PLATFORM)
    (tmp_path / "w.json").write_text(WORKLOAD)
    return tmp_path


def wavetank(folder, *words):
    command = [sys.executable, "-m", "wavetank", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def simulate(folder, endpoint, *more):
    files = ("-p", "p.xml", "-w", "w.json", "-s", endpoint, "--connect-timeout", "20")
    return wavetank(folder, "batsim", *files, *more)


class Peer(threading.Thread):
    """A scheduler that answers as it is told, then closes its socket."""

    def __init__(self, *answers):
        super().__init__()
        self.socket = zmq.Context.instance().socket(zmq.REP)
        self.socket.linger = 1000
        self.endpoint = f"tcp://127.0.0.1:{self.socket.bind_to_random_port('tcp://127.0.0.1')}"
        self.answers = answers

    def run(self):
        for answer in self.answers:
            self.socket.recv()
            self.socket.send(answer)
        self.socket.recv()
        self.socket.close()


def test_a_scheduler_that_disappears(folder):
    peer = Peer(b'{"now": 0, "events": []}')
    peer.start()
    done = simulate(folder, peer.endpoint)
    peer.join()
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"{peer.endpoint}: the program at the other end has closed the connection\n"
    assert (folder / "out_jobs.csv").read_text().startswith("job_id,")


def test_a_scheduler_that_talks_nonsense(folder):
    peer = Peer(b"hello")
    peer.daemon = True
    peer.start()
    done = simulate(folder, peer.endpoint)
    assert done.returncode == 3
    assert "not a message of Batsim's protocol" in done.stderr


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        pytest.param([b'{"now": 0, "events": []}', b"more"], "expected a message of one part, got 2", id="two parts"),
        pytest.param([bytes(100_001)], "closed the connection", id="more bytes than allowed"),
    ],
)
def test_a_scheduler_whose_answer_is_no_message(parts, problem, monkeypatch):
    monkeypatch.setattr(sockets, "_LARGEST_MESSAGE", 100_000)
    with zmq.Context() as context, context.socket(zmq.REP) as peer:
        peer.linger = 0
        port = peer.bind_to_random_port("tcp://127.0.0.1")
        with sockets.Requester(f"tcp://127.0.0.1:{port}", 20) as batsim:

            def answer():
                peer.recv()
                peer.send_multipart(parts)

            thread = threading.Thread(target=answer)
            thread.start()
            with pytest.raises(ProtocolError, match=problem):
                batsim.exchange(b"{}")
            thread.join()


def test_a_scheduler_that_has_gone_is_not_waited_for_though_its_port_accepts_another_connection():
    events = [zmq.EVENT_CONNECTED, zmq.EVENT_DISCONNECTED, zmq.EVENT_CONNECTED]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with sockets.Requester(f"tcp://127.0.0.1:{port}", 1) as batsim:
        batsim._watch.close()
        batsim._watch = SimpleNamespace(poll=lambda _: bool(events))
        batsim._read_event = lambda _: {"event": events.pop(0)}
        with pytest.raises(ProtocolError, match="closed the connection"):
            batsim.exchange(b"{}")


def test_no_scheduler(folder):
    files = ("-p", "p.xml", "-w", "w.json", "-s", "tcp://127.0.0.1:9", "--connect-timeout", "0.2")
    done = wavetank(folder, "batsim", *files)
    assert done.returncode == 3
    assert "no program has connected within 0.2 s" in done.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("batsim", "-p", "p.xml"), "--workload: give at least one"),
        (("batsim", "-p", "p.xml", "-w", "w.json", "--enable-redis"), "--enable-redis: redis is not used"),
        (("batsim", "-p", "p.xml", "-w", "w.json", "--energy"), "wattage_per_state: energy needs"),
        (("batsim", "-p", "p.xml", "-w", "w.json", "-r", "a"), "--add-role-to-hosts: expected HOST"),
        (("batsim", "-p", "p.xml", "-w", "w.json", "-s", "nowhere"), "nowhere: Invalid argument"),
        (("batsim", "-p", "p.xml", "-w", "w.json", "-s", "tcp://localhost:99999"), "expected a port from 1 to 65535"),
        (("batsim", "-p", "p.xml", "-w", "w.json", "-s", "tcp://localhost"), "expected a port from 1 to 65535"),
        (("batsim", "-p", "p.xml", "-w", "w.json", "--connect-timeout", "nan"), "expected a number, got nan"),
        (("batsim", "-p", "none.xml", "-w", "w.json"), "none.xml: no such file"),
        (("decide", "--scheduler", "nosuch"), "nosuch"),
        (("decide", "--scheduler", "easy", "-s", "tcp://127.0.0.1:1x"), "expected a port from 1 to 65535, got '1x'"),
        (("decide", "--scheduler", "easy", "-s", "nowhere"), "nowhere: Invalid argument"),
    ],
)
def test_bad_input_is_named(folder, words, problem):
    done = wavetank(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_batsim_that_talks_nonsense_or_goes(folder):
    with subprocess.Popen(
        [sys.executable, "-m", "wavetank", "decide", "--scheduler", "fcfs", "-s", "tcp://127.0.0.1:28991"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        socket = zmq.Context.instance().socket(zmq.REQ)
        socket.linger = 0
        socket.connect("tcp://127.0.0.1:28991")
        begins = {"compute_resources": [{"id": 0, "name": "a"}], "profiles": {}}
        event = {"timestamp": 0, "type": "SIMULATION_BEGINS", "data": begins}
        socket.send_string(json.dumps({"now": 0, "events": [event]}))
        assert json.loads(socket.recv()) == {"now": 0, "events": []}
        socket.close()
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "closed the connection" in errors
