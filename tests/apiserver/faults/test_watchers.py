"""Watchers that misbehave disturb no other client."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.apiserver.serving import Served, serving
from tests.support.waiting import PATIENCE_S, eventually

CONFIGS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "--bare") as server:
        yield server


class Watcher:
    """A watch on a socket of its own."""

    def __init__(self, served: Served, query: str = "", path: str = CONFIGS) -> None:
        self.socket = socket.create_connection((served.host, served.port), timeout=PATIENCE_S)
        head = f"GET {path}?watch=true{query} HTTP/1.1\r\nHost: {served.host}:{served.port}\r\n"
        self.socket.sendall(f"{head}Authorization: Bearer {served.token}\r\n\r\n".encode())
        self._received = b""

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def read(self, text: str) -> bytes:
        """Reads until a text has come."""
        while text.encode() not in self._received:
            part = self.socket.recv(65536)
            assert part, f"closed after {self._received[-500:]!r}"
            self._received += part
        return self._received

    def to_the_end(self) -> bytes:
        """Reads until the stream is over."""
        while not self._received.endswith(b"\r\n0\r\n\r\n") and (part := self.socket.recv(65536)):
            self._received += part
        return self._received


def create(served: Served, name: str, size: int = 1) -> None:
    document = {"metadata": {"name": name}, "data": {"text": "x" * size}}
    answer = served.ask("POST", CONFIGS, document)
    assert answer.status == 201, answer.body


def test_a_thousand_watchers_all_hear_of_it(served: Served) -> None:
    with ExitStack() as stack:
        watchers = [stack.enter_context(Watcher(served)) for _ in range(1000)]
        for watcher in watchers:
            watcher.read("200 OK")
        create(served, "for-all")
        for watcher in watchers:
            watcher.read('"for-all"')
    assert served.ask("GET", "/readyz").status == 200


def test_a_client_that_never_reads_is_cut_off_and_delays_no_other(served: Served) -> None:
    create(served, "large")
    with Watcher(served), Watcher(served) as reader:
        reader.read("200 OK")
        for i in range(150):  # 120 MB in all, of which the first watcher takes nothing
            patch = {"data": {"text": str(i % 10) * 800_000}}
            answer = served.ask("PATCH", f"{CONFIGS}/large", patch, Content_Type="application/merge-patch+json")
            assert answer.status == 200, answer.body
            drain(reader)
        assert memory_mb(served) < 600
        create(served, "after-all")
        reader.read('"after-all"')


def drain(watcher: Watcher) -> None:
    while select.select([watcher.socket], [], [], 0.01)[0]:
        assert watcher.socket.recv(1 << 20)


def memory_mb(served: Served) -> float:
    status = Path(f"/proc/{served.process.pid}/status")
    if not status.exists():
        pytest.skip("this system does not say how much memory a process has")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def test_a_watcher_that_is_killed_leaves_nothing_behind(served: Served) -> None:
    program = (
        "import socket, sys\n"
        f"s = socket.create_connection(({served.host!r}, {served.port}))\n"
        f"s.sendall(b'GET {CONFIGS}?watch=true HTTP/1.1\\r\\nHost: localhost\\r\\n"
        f"Authorization: Bearer {served.token}\\r\\n\\r\\n')\n"
        "s.recv(10); print('watching', flush=True)\n"
        "while True: s.recv(65536)\n"
    )
    before = open_files(served)
    victim = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "watching\n"
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    for i in range(5):
        create(served, f"after-the-kill-{i}")
    eventually(lambda: open_files(served) <= before, "its connection is still open")


def open_files(served: Served) -> int:
    folder = Path(f"/proc/{served.process.pid}/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_a_watch_ends_when_its_time_is_over(served: Served) -> None:
    with Watcher(served, "&timeoutSeconds=1") as watcher:
        assert watcher.to_the_end().endswith(b"0\r\n\r\n")


def test_a_half_closed_watch_ends(served: Served) -> None:
    with Watcher(served) as watcher:
        watcher.read("200 OK")
        watcher.socket.shutdown(socket.SHUT_WR)
        watcher.to_the_end()


def test_a_server_that_is_stopped_ends_its_watches_well(tmp_path: Path) -> None:
    with serving(tmp_path, "--bare") as served, Watcher(served) as watcher:
        watcher.read("200 OK")
        served.process.send_signal(signal.SIGINT)
        assert watcher.to_the_end().endswith(b"0\r\n\r\n")
        assert served.process.wait(PATIENCE_S) == 0
