"""The other servers: k8ssim-server, misim-adapter, the operator's interface, the page of finished runs."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from tests.attack.campaign.outcome import Budget, Outcome
from tests.attack.documents import DEEP
from tests.cli.commands import an_experiment

_PATIENCE_S = 60
_EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "batch-operator" / "experiment.yaml"
OPERATOR = ["operator", "simulate", str(_EXAMPLE), "--no-auth", "--interface", "127.0.0.1:0"]
_COMMANDS = {
    "k8ssim-server": ["k8ssim-server", "--port", "0"],
    "misim-adapter": ["misim-adapter", "--port", "0"],
    "play": ["play", "out", "--no-auth", "--port", "0"],
    "operator": OPERATOR,
}
_PATHS = (
    "/reset",
    "/step",
    "/updateNodes",
    "/updatePods",
    "/ui/",
    "/recording?run=x",
    "/external/stream",
    "/scheduler/info",
    "/",
)
_ODD = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'"a"',
    b"9" * 5000,
    b'{"nodes": [null], "pods": {"a": 1e400}}',
    b"\xff\x00",
    b"[" * 100_000,
)


def attack(random: Random, budget: Budget) -> Outcome:
    """Sends hostile requests to each of the servers, with which it must go on."""
    outcome = Outcome("hostile requests to other servers")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        an_experiment(folder)
        subprocess.run(
            [sys.executable, "-m", "wavetank", "run", "e.yaml", "-o", "out"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        for server, words in _COMMANDS.items():
            with running(words, folder, outcome, server) as (port, _):
                for _ in range(30):
                    _ask(port, random, outcome, server)
                while budget.left() and random.random() < 0.97:
                    _ask(port, random, outcome, server)
                _check_foreign(port, outcome, server)
    return outcome


@contextmanager
def running(
    words: Sequence[str], folder: Path, outcome: Outcome, name: str
) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Runs a server on a free port; at the end it must still be there, and have printed no traceback."""
    command = [sys.executable, "-m", "wavetank", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = ""
        while not re.search(r"://[^/]*:\d+", line):
            line = process.stdout.readline()
            assert line, f"{name} has not started: {process.stderr.read() if process.stderr else ''}"
        found = re.search(r"://[^/]*:(\d+)", line)
        assert found is not None
        yield int(found[1]), process
        outcome.check(process.poll() is None, f"{name} has ended with {process.poll()}")
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=_PATIENCE_S)
    outcome.check("Traceback" not in errors, f"{name}: {errors[-400:]}")


def _ask(port: int, random: Random, outcome: Outcome, name: str) -> None:
    outcome.ran += 1
    path, method = random.choice(_PATHS), random.choice(["GET", "POST", "PUT", "DELETE"])
    body = random.choice(
        [*_ODD, json.dumps({"nodes": random.choice(sorted(DEEP.values()))}).encode(), random.randbytes(50)]
    )
    if random.random() < 0.2:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_S) as connection:
            connection.sendall(
                f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n".encode() + body[:200]
            )
        return
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        is_stream = "event-stream" in (answer.getheader("content-type") or "")
        text = b"" if is_stream else answer.read()
        outcome.check(
            answer.status < 500, f"{name}: {method} {path}: {answer.status} {text[:200]!r}; body {body[:100]!r}"
        )
    except (OSError, http.client.HTTPException) as error:
        outcome.check(False, f"{name}: {method} {path}: {error!r}; body {body[:100]!r}")
    finally:
        connection.close()


def _check_foreign(port: int, outcome: Outcome, name: str) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
        connection.request("GET", "/reset", None, headers)
        status = connection.getresponse().status
        connection.close()
        outcome.check(status in (401, 403), f"{name}: a request with {headers} was answered by {status}")
