"""Lets `wavetank serve` work for weeks of simulated time, and says whether its memory and descriptors stay flat.

    make soak
    python bench/soak.py --weeks 8 --json out/soak.json
    python bench/soak.py --weeks 8 --state out/soak-state      # the cluster is kept in a folder, too
    python bench/soak_restarts.py --weeks 4                    # and its server is killed every day

Every simulated hour clients scale deployments, submit jobs of which every one has another spec, let nodes fail and come
back, register nodes of new names and delete them, leave watches open or drop them, and go away without a word. Between
these the clock is advanced as fast as possible. Memory is that of the server's process (RSS); the first part, while
histories and caches fill, is not counted. Exit status 1 if memory grows by more than 3 % of what it was after that
part, or if descriptors, or objects, grow.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

TOKEN = "soak"
NODES = 12
DEPLOYMENTS = 8
JOBS_PER_HOUR = 12
WATCHES = 12
WARM_UP = 0.25  # of the time
MOST_GROWTH = 0.03  # of the memory after the warm-up
Document = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """What a server uses at a simulated hour."""

    hour: int
    rss_mb: float
    descriptors: int
    objects: int
    wall_s: float


@dataclass
class Client:
    """Requests to a server, and the watches that it has opened."""

    port: int
    watches: list[socket.socket] = field(default_factory=list)
    connection: http.client.HTTPConnection | None = None
    requests: int = 0

    def ask(self, method: str, path: str, body: object = None) -> Document:
        """Makes a request; 404 and 409 are allowed, since others write, too."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": kind}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        self.requests += 1
        if answer.status >= 400 and answer.status not in (404, 409):
            raise SystemExit(f"{method} {path}: {answer.status} {text[:400]!r}")
        found: Document = json.loads(text)
        return found

    def leave(self) -> None:
        """Goes away, without closing anything properly."""
        self.connection = None

    def watch(self, path: str) -> None:
        """Opens a watch that is hardly read; of too many the oldest is dropped in the middle."""
        opened = socket.create_connection(("127.0.0.1", self.port))
        opened.sendall(
            f"GET {path}?watch=true HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
        )
        self.watches.append(opened)
        if len(self.watches) > WATCHES:
            self.watches.pop(0).close()


class Churn:
    """What happens in an hour; the same for the same seed."""

    def __init__(self, client: Client, seed: int) -> None:
        self._client = client
        self._random = random.Random(seed)
        self._hour = 0
        self._down: list[str] = []

    def begin(self) -> None:
        """Creates nodes, deployments and cron jobs."""
        for number in range(NODES):
            self._client.ask("POST", "/api/v1/nodes", a_node(f"n-{number}"))
        for number in range(DEPLOYMENTS):
            self._client.ask("POST", "/apis/apps/v1/namespaces/default/deployments", a_deployment(f"d-{number}"))
        for number, schedule in enumerate(("*/30 * * * *", "0 * * * *", "15 */6 * * *")):
            self._client.ask("POST", "/apis/batch/v1/namespaces/default/cronjobs", a_cron_job(f"c-{number}", schedule))

    def hour(self) -> None:
        """Does an hour's writes, and lets the hour pass."""
        draw, client = self._random, self._client
        self._hour += 1
        name = f"d-{draw.randrange(DEPLOYMENTS)}"
        scale = {"spec": {"replicas": draw.randrange(1, 9)}}
        client.ask("PATCH", f"/apis/apps/v1/namespaces/default/deployments/{name}", scale)
        if self._hour % 24 == 0:  # a new version
            annotations = {"metadata": {"annotations": {"hour": str(self._hour)}}}
            client.ask(
                "PATCH", f"/apis/apps/v1/namespaces/default/deployments/{name}", {"spec": {"template": annotations}}
            )
        for number in range(JOBS_PER_HOUR):
            job = a_job(f"j-{self._hour}-{number}", f"{draw.randrange(30, 5000)}s", 1)
            client.ask("POST", "/apis/batch/v1/namespaces/default/jobs", job)
        self._change_nodes()
        client.watch(draw.choice(("/api/v1/pods", "/api/v1/nodes", "/apis/batch/v1/jobs", "/api/v1/events")))
        if self._hour % 5 == 0:
            client.leave()
        client.ask("POST", "/wavetank/clock/advance?by=1h")

    def _change_nodes(self) -> None:
        """Lets a node fail or come back, and replaces one that no other had the name of."""
        client, draw = self._client, self._random
        while len(self._down) > 2:
            client.ask("POST", f"/ui/nodes/recover?name={self._down.pop(0)}")
        if draw.random() < 0.3:
            name = f"n-{draw.randrange(NODES)}"
            if name not in self._down:
                client.ask("POST", f"/ui/nodes/fail?name={name}")
                self._down.append(name)
        if self._hour % 3 == 0:
            client.ask("POST", "/api/v1/nodes", a_node(f"spot-{self._hour}"))
            client.ask("DELETE", f"/api/v1/nodes/spot-{self._hour - 6}")


def a_node(name: str) -> Document:
    amounts = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": amounts}}


def a_deployment(name: str) -> Document:
    labels = {"app": name}
    spec = {"containers": [a_container("500m")]}
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def a_job(name: str, duration: str, pods: int) -> Document:
    """Returns a job whose pods have a spec of their own: no other pod has the same."""
    template = {
        "metadata": {"annotations": {"wavetank.dev/duration": duration}},
        "spec": {"restartPolicy": "Never", "containers": [{**a_container("1"), "args": [name]}]},
    }
    spec = {"parallelism": pods, "completions": pods, "ttlSecondsAfterFinished": 3600, "template": template}
    return {"metadata": {"name": name}, "spec": spec}


def a_cron_job(name: str, schedule: str) -> Document:
    return {
        "metadata": {"name": name},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": a_job("", "90s", 1)["spec"]}},
    }


def a_container(cpu: str) -> Document:
    return {"name": "main", "image": "app:1", "resources": {"requests": {"cpu": cpu, "memory": "256Mi"}}}


def start_server(folder: str, state: Path | None = None) -> tuple[subprocess.Popen[str], int]:
    """Starts a server with a paused clock whose kubeconfig is in a folder, and returns it with its port."""
    files = ["--port", "0", "--token", TOKEN, "--kubeconfig", f"{folder}/kubeconfig", "--http", "--paused", "--quiet"]
    kept = [] if state is None else ["--state", str(state)]
    command = [sys.executable, "-m", "wavetank", "serve", *files, *kept]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline().rpartition(":")[2])


@contextmanager
def server(state: Path | None) -> Iterator[tuple[int, int]]:
    """Runs a server, and gives its port and its process."""
    with tempfile.TemporaryDirectory() as folder:
        process, port = start_server(folder, state)
        try:
            yield port, process.pid
        finally:
            process.terminate()
            process.wait()


def measure(client: Client, pid: int, hour: int, begun: float) -> Sample:
    status = Path(f"/proc/{pid}/status").read_text()
    rss_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    paths = ("/api/v1/pods", "/api/v1/events", "/api/v1/nodes", "/apis/batch/v1/jobs", "/apis/apps/v1/replicasets")
    objects = sum(len(client.ask("GET", path)["items"]) for path in paths)
    return Sample(hour, rss_kb / 1024, len(os.listdir(f"/proc/{pid}/fd")), objects, time.monotonic() - begun)


def soak(hours: int, samples: int, seed: int, state: Path | None = None) -> list[Sample]:
    """Serves for so many simulated hours, and returns what the server used, at equal distances."""
    taken: list[Sample] = []
    with server(state) as (port, pid):
        client, begun = Client(port), time.monotonic()
        churn = Churn(client, seed)
        churn.begin()
        for hour in range(1, hours + 1):
            churn.hour()
            if hour * samples // hours > len(taken):
                taken.append(measure(client, pid, hour, begun))
                print(json.dumps(asdict(taken[-1])), flush=True)
        print(f"{client.requests} requests", flush=True)
        for each in client.watches:
            each.close()
    return taken


def problems(samples: list[Sample]) -> list[str]:
    """Returns what grows: the last quarter is compared with the one after the warm-up."""
    rest = samples[int(len(samples) * WARM_UP) :]
    quarter = max(1, len(rest) // 4)
    first, last = rest[:quarter], rest[-quarter:]
    found = []
    for name, allowed in (("rss_mb", MOST_GROWTH), ("descriptors", 0.25), ("objects", 0.25)):
        before, after = (max(getattr(each, name) for each in part) for part in (first, last))
        if after > before * (1 + allowed):
            found.append(f"{name} grew from {before:.0f} to {after:.0f}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weeks", type=float, default=8)
    parser.add_argument("--samples", type=int, default=56)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    samples = soak(round(options.weeks * 168), options.samples, options.seed, options.state)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in samples], indent=1) + "\n")
    found = problems(samples)
    print("\n".join(found) or "flat")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
