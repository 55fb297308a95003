"""Batsim's sockets: hostile schedulers for `wavetank batsim`, hostile Batsims for `wavetank decide`."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from tests.attack.campaign.outcome import Budget, Outcome

_PATIENCE_S = 60
_MOST_MB = 400  # of any of the programs
_PLATFORM = """<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>
  <host id="a" speed="1Mf"/></zone></platform>"""
_WORKLOAD = {
    "nb_res": 1,
    "jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "d"}],
    "profiles": {"d": {"type": "delay", "delay": 10}},
}
_BEGINS = {"compute_resources": [{"id": 0, "name": "a"}], "profiles": {}}
_GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00NULL" + bytes(16) + b"\x00" + bytes(31)  # of ZMTP 3.0


def attack(random: Random, budget: Budget) -> Outcome:
    """Lets each program talk to a hostile peer: it must end as it does for a broken protocol, with one message."""
    outcome = Outcome("hostile peers on Batsim's sockets")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "p.xml").write_text(_PLATFORM)
        (folder / "w.json").write_text(json.dumps(_WORKLOAD))
        while budget.left():
            outcome.ran += 1
            random.choice([_hostile_scheduler, _hostile_batsim, _raw_scheduler])(random, folder, outcome)
    return outcome


def _message(random: Random) -> list[bytes]:
    """Returns the parts of a message that is more or less wrong."""
    number: object = random.choice([0, 1, -1, 1e300, 10**30, 1e11, 0.1, "x", None])
    job = random.choice(["w0!1", "w0!9", "", "!", 1, None, "w0!1" * 1000])
    data = random.choice(
        [
            {},
            {"job_id": job, "alloc": random.choice(["0", "9", "0-1", "-1", "1-0", "0-999999999", "x", 1])},
            {"job_ids": [job]},
            {"timestamp": number},
            {"resources": random.choice(["0", "0-999999999"]), "state": number},
            {"job_id": job, "job": {"profile": "d", "res": number, "subtime": number}},
            {"job": {"id": job, "profile": "d", "res": number, "subtime": number}},
            {"job_id": job, "job_state": "COMPLETED_SUCCESSFULLY", "workload_name": number},
        ]
    )
    kinds = ["EXECUTE_JOB", "REJECT_JOB", "KILL_JOB", "CALL_ME_LATER", "REGISTER_JOB", "SET_RESOURCE_STATE", "X"]
    kinds += ["JOB_SUBMITTED", "JOB_COMPLETED", "SIMULATION_BEGINS", "SIMULATION_ENDS", "REQUESTED_CALL", "QUERY"]
    event = {"timestamp": number, "type": random.choice(kinds), "data": data}
    usual = json.dumps({"now": number, "events": [event] * random.choice([1, 1, 2, 500])}).encode()
    return random.choice(
        [
            [usual],
            [usual],
            [json.dumps({"now": 0, "events": [{**event, "timestamp": 0}]}).encode()],
            [usual[: random.randrange(len(usual))]],
            [usual, usual],
            [b""],
            [b"\xff\xfe" + usual],
            [b"[" * 100_000],
            [b'{"now": 0, "events": ' + b"[" * 100_000],
            [b'{"now": 0, "events": [{"timestamp": 0, "type": "NOTIFY", "data": {"a": ' + b'{"a":' * 50_000],
            [b'{"now": ' + b"9" * 100_000 + b"}"],
            [b" " * (8 << 20) + usual],
        ]
    )


def _hostile_scheduler(random: Random, folder: Path, outcome: Outcome) -> None:
    import zmq

    with zmq.Context() as context, context.socket(zmq.REP) as peer:
        peer.linger, peer.rcvtimeo = 0, 200
        port = peer.bind_to_random_port("tcp://127.0.0.1")
        answers = [_message(random) for _ in range(random.randint(1, 3))]
        process = _simulating(folder, port)
        for answer in [*[[b'{"now": 0, "events": []}']] * random.randint(0, 1), *answers]:
            if _received(peer.recv, process):
                peer.send_multipart(answer)
        if _received(peer.recv, process) and random.random() < 0.5:
            peer.close(0)
        _check_end(process, outcome, f"batsim: answers {[each[0][:80] for each in answers]}")


def _raw_scheduler(random: Random, folder: Path, outcome: Outcome) -> None:
    """A peer that speaks no ZeroMQ, or stops in the middle of it."""
    ready = b"\x04\x26\x05READY\x0bSocket-Type\x00\x00\x00\x03REP\x08Identity\x00\x00\x00\x00"
    oversized = b"\x02" + struct.pack(">Q", random.choice([1 << 63, (1 << 63) - 1, 1 << 40, 1 << 31]))
    said = random.choice(
        [b"", b"GET / HTTP/1.1\r\n\r\n", random.randbytes(200), _GREETING, _GREETING + ready + oversized]
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(_PATIENCE_S)
        process = _simulating(folder, listener.getsockname()[1], "3")
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(said)
            connection.settimeout(2)
            while connection.recv(1 << 16):
                pass
    _check_end(process, outcome, f"batsim: a peer that says {said[:60]!r}")


def _hostile_batsim(random: Random, folder: Path, outcome: Outcome) -> None:
    import zmq

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ["decide", "--scheduler", random.choice(["fcfs", "default"]), "-s", f"tcp://127.0.0.1:{port}"]
    process = _started(folder, [*words, "--connect-timeout", "30"])
    begins = {"timestamp": 0, "type": "SIMULATION_BEGINS", "data": _BEGINS}
    messages = [_message(random) for _ in range(random.randint(1, 3))]
    if random.random() < 0.7:
        messages.insert(0, [json.dumps({"now": 0, "events": [begins]}).encode()])
    with zmq.Context() as context, context.socket(zmq.DEALER) as peer:  # which need not wait for answers
        peer.linger, peer.rcvtimeo = 2000, 200
        peer.connect(f"tcp://127.0.0.1:{port}")
        for message in messages:
            if process.poll() is None:
                peer.send_multipart([b"", *message])
                if random.random() < 0.7:
                    _received(peer.recv_multipart, process, most=25)
    _check_end(process, outcome, f"decide: messages {[each[0][:80] for each in messages]}")


def _received(receive: Callable[[], object], process: subprocess.Popen[str], most: int = 1 << 30) -> bool:
    """Waits for a message of the program; False if it has ended, or none comes within so many slices."""
    import zmq

    for _ in range(most):
        try:
            receive()
            return True
        except zmq.Again:
            if process.poll() is not None:
                return False
    return False


def _simulating(folder: Path, port: int, timeout_s: str = "20") -> subprocess.Popen[str]:
    endpoint = f"tcp://127.0.0.1:{port}"
    return _started(folder, ["batsim", "-p", "p.xml", "-w", "w.json", "-s", endpoint, "--connect-timeout", timeout_s])


def _started(folder: Path, words: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "wavetank", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def _check_end(process: subprocess.Popen[str], outcome: Outcome, what: str) -> None:
    late, used_mb = time.monotonic() + _PATIENCE_S, 0
    while process.poll() is None and time.monotonic() < late:
        used_mb = max(used_mb, _peak_mb(process))
        time.sleep(0.05)
    outcome.check(process.poll() is not None, f"{what}: has not ended")
    process.kill()
    _, errors = process.communicate()
    status = process.returncode
    outcome.check("Traceback" not in errors, f"{what}: {errors[-300:]}")
    outcome.check(status in (0, 2, 3), f"{what}: ended with {status}: {errors[-200:]}")
    outcome.check(bool(errors) == bool(status), f"{what}: ended with {status}, and said {errors[-200:]!r}")
    outcome.check(len(errors) < 1000, f"{what}: a message of {len(errors)} characters")
    outcome.check(used_mb < _MOST_MB, f"{what}: {used_mb} MB of memory were used")
    outcome.figures["MB at most"] = max(used_mb, outcome.figures.get("MB at most", 0))


def _peak_mb(process: subprocess.Popen[str]) -> int:
    with suppress(OSError):
        peak = Path(f"/proc/{process.pid}/status").read_text().partition("VmHWM:")[2].split()
        return int(peak[0]) // 1024 if peak else 0
    return 0
