"""Clients that hold connections, descriptors and memory: others are served meanwhile."""

from __future__ import annotations

import json
import resource
import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

from tests.apiserver.serving import Served, serving
from tests.attack.campaign.clients import CONFIGS, Client
from tests.attack.campaign.outcome import Budget, Outcome

_DESCRIPTORS = 200
_CONNECTIONS = 400
_UPDATES = 300  # of an object of 900 kB: 270 MB
_LISTS = 60  # of 9 MB each
_MOST_MB = 700  # more than at the start


def attack(random: Random, budget: Budget) -> Outcome:
    """Holds what can be held, and asks for something small in between."""
    outcome = Outcome("rounds of held connections, unread lists and large updates")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "--bare") as served:
        limits = resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (_DESCRIPTORS, limits[1]))
        before = _memory_mb(served)
        while budget.left():
            _update(served, outcome)
            _leave_unread(served, outcome)
            _hold_connections(served, random, outcome)
            outcome.ran += 1
        grown = _memory_mb(served) - before
        outcome.figures = {"MB more memory": round(grown)}
        outcome.check(grown < _MOST_MB, f"the server has {grown:.0f} MB more than before")
    return outcome


def _update(served: Served, outcome: Outcome) -> None:
    client = Client(served)
    client.ask("POST", CONFIGS, {"metadata": {"name": "large"}, "data": {}})
    for i in range(_UPDATES):
        document = {"metadata": {"name": "large"}, "data": {"n": str(i), "text": "x" * 900_000}}
        status, _ = client.ask("PUT", f"{CONFIGS}/large", document)
        outcome.check(status == 200, f"an update was answered by {status}")


def _leave_unread(served: Served, outcome: Outcome) -> None:
    client = Client(served)
    for i in range(9):
        client.ask("POST", CONFIGS, {"metadata": {"name": f"part-{i}"}, "data": {"text": "y" * 1_000_000}})
    head = f"GET {CONFIGS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.token}\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(_LISTS):
            connection = stack.enter_context(socket.create_connection((served.host, served.port), timeout=30))
            connection.sendall(head.encode())
            time.sleep(0.02)
        time.sleep(1.5)  # until they count as stalled
        answer = served.ask("GET", CONFIGS)
        outcome.check(answer.status in (200, 429), f"a list beside unread ones was answered by {answer.status}")
        outcome.check(len(json.loads(answer.body)) > 0, "the list is empty")


def _hold_connections(served: Served, random: Random, outcome: Outcome) -> None:
    """Opens more connections than the server has descriptors for: silent ones, half heads, half TLS, half bodies."""
    head = f"POST {CONFIGS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.token}\r\n"
    begun = [b"", b"GET / HT", b"\x16\x03\x01\x02", f"{head}Content-Length: 9\r\n\r\n{{".encode()]
    with ExitStack() as stack:
        for _ in range(_CONNECTIONS):
            connection = stack.enter_context(socket.create_connection((served.host, served.port), timeout=30))
            connection.sendall(random.choice(begun))
        for _ in range(3):
            outcome.check(served.ask("GET", "/readyz").status == 200, "the server is not ready")


def _memory_mb(served: Served) -> float:
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
