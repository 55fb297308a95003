"""Measures how long one heavy request to `wavetank serve` keeps other clients waiting, for many kinds of requests.

    python bench/stalls/single.py                   # all cases, some minutes
    python bench/stalls/single.py metadata "pod:"   # those whose names contain one of the words
    python bench/stalls/single.py --blame 0.08 pod  # and the stacks of the server after 80 ms of CPU time in one piece

For each case: the answer's status and how long it took; the CPU time that the server used between two ticks of its
event loop, at most, which hardly depends on what else the machine does; the same in real time; and how long another
client has waited for a small GET, at most.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rich.console import Console
from rich.table import Table

import meetingcases  # noqa: F401, adds its cases
import simulatedcases  # noqa: F401, adds its cases
from measuredserver import GAPS
from objectcases import Case, Step
from policycases import CASES

TOKEN = "bench"
NODES = 20
_REST_S = 0.02  # of CPU time between two ticks of a server at rest
_MOST_RESTS = 60
LONGEST_S = 600  # of an answer: a million numbers with 50 alternatives each take minutes, in a thread
LATER_S = 1.5  # for what the request set going: informers, controllers, the scheduler, kubelets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the names of cases")
    parser.add_argument(
        "--blame", type=float, default=0, metavar="S", help="print stacks after so many seconds of CPU time"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cases = [case for case in CASES if not options.words or any(word in case.name for word in options.words)]
    if not cases:
        parser.error(f"no case is called {' or '.join(options.words)}")
    rows = []
    with tempfile.TemporaryDirectory() as folder, server(Path(folder), options.blame) as attacked:
        for case in cases:
            rows.append(measure(attacked, case))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


@dataclass
class Attacked:
    """A running server, and the file of its gaps."""

    port: int
    gaps: Path

    def ask(self, step: Step) -> tuple[int, bytes]:
        """Makes one request; returns the status and the answer's body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_S)
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": step.media, **step.headers}
        try:
            connection.request(step.method, step.path, step.body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read() if step.whole else answer.read1()
        finally:
            connection.close()

    def reset(self) -> None:
        """Forgets the gaps, once the server is at rest: a gap that has begun would count as the request's."""
        for _ in range(_MOST_RESTS):
            self._write(0.0, 0.0)
            if self.longest()[0] < _REST_S:
                break
        self._write(0.0, 0.0)

    def _write(self, *gaps: float) -> None:
        with self.gaps.open("r+b") as file:
            file.write(GAPS.pack(*gaps))

    def longest(self) -> tuple[float, float]:
        """Returns the longest gaps since, in seconds of CPU time and of real time."""
        time.sleep(0.3)  # what the request set going: informers, controllers, the scheduler
        self.ask(Step("GET", "/livez"))  # answered when the loop does not stand still
        time.sleep(0.01)
        cpu, real = GAPS.unpack(self.gaps.read_bytes())
        return cpu, real


def measure(attacked: Attacked, case: Case) -> dict[str, object]:
    """Prepares a case, makes its request beside small ones, and cleans up."""
    for step in case.before():
        status, body = attacked.ask(step)
        assert status < 300, (case.name, step.path, status, body[:300])
    step = case.request()
    attacked.reset()
    with small_requests(attacked) as waits:
        begun = time.perf_counter()
        status, _ = attacked.ask(step)
        took = time.perf_counter() - begun
        for then in case.then():
            time.sleep(LATER_S)
            attacked.ask(then)
        cpu, real = attacked.longest()
    for after in case.after():
        attacked.ask(after)
    seconds = {"took": took, "cpu": cpu, "real": real, "client": max(waits, default=0.0)}
    return {"case": case.name, "status": status, **{key: round(value, 3) for key, value in seconds.items()}}


@contextmanager
def small_requests(attacked: Attacked, path: str = "/api/v1/nodes/n-0") -> Iterator[list[float]]:
    """Asks for something small again and again, on a connection of its own; gives how long each took."""
    waits: list[float] = []
    end = threading.Event()

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", attacked.port)
        while not end.wait(0.005):
            begun = time.perf_counter()
            connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
            connection.getresponse().read()
            waits.append(time.perf_counter() - begun)
        connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield waits
    finally:
        end.set()
        thread.join()


@contextmanager
def server(folder: Path, blame_s: float) -> Iterator[Attacked]:
    """Runs `wavetank serve` with some nodes."""
    words = ["--http", "--port", "0", "--token", TOKEN, "--kubeconfig", str(folder / "kubeconfig")]
    words += ["--authorization", "rbac", "--cluster", str(nodes_in(folder, NODES))]
    with running(folder, blame_s, ["serve", *words]) as attacked:
        yield attacked


def nodes_in(folder: Path, number: int) -> Path:
    """Writes a file of nodes."""
    amounts = {"cpu": "64", "memory": "256Gi", "pods": "500"}
    items = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"n-{i}"},
            "status": {"capacity": amounts, "allocatable": amounts},
        }
        for i in range(number)
    ]
    nodes = folder / "nodes.json"
    nodes.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return nodes


@contextmanager
def running(folder: Path, blame_s: float, words: list[str]) -> Iterator[Attacked]:
    """Runs a command that serves, and prints its address in its first line."""
    gaps = folder / "gaps"
    gaps.write_bytes(GAPS.pack(0.0, 0.0))
    script = [sys.executable, str(Path(__file__).with_name("measuredserver.py")), str(gaps), str(blame_s)]
    process = subprocess.Popen([*script, *words], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"://[^/]+:(\d+)", process.stdout.readline())
        assert found is not None
        yield Attacked(int(found[1]), gaps)
    finally:
        process.terminate()
        process.wait()


def show(rows: list[dict[str, object]]) -> None:
    title = "how long others wait, in seconds; at most"
    table = Table("case", "status", "took", "CPU of the loop's gap", "real", "another client", title=title)
    for each in rows:
        table.add_row(*(str(value) for value in each.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
