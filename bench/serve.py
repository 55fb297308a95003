"""Measures `wavetank serve` on one core: requests, and events to each of several watchers.

    make bench-serve
    python bench/serve.py --seconds 5 --watchers 5

The server has one core to itself where the machine has two; the clients (wrk where it is installed, else sockets of
our own) have the other. The rate per second of the server's CPU time is given too: the rate if no other process used
that core.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rich.console import Console
from rich.table import Table

import httpload

TOKEN = "bench"
OBJECTS = 1_000
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--watchers", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if len(CORES) > 1:
        os.sched_setaffinity(0, CORES[1:])
    rows = [*requests(options.seconds), *watches(options.seconds, options.watchers), *kept_writes(options.seconds)]
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def requests(seconds: float) -> Iterator[dict[str, object]]:
    """Requests of one kind each, over eight connections that stay open."""
    with server("serve", "--bare") as (port, pid):
        fill(port)
        root = "/api/v1/namespaces/default"
        new = {"metadata": {"generateName": "g-"}, "data": {"a": "b"}}
        cases = {
            "GET one pod": ("GET", f"{root}/pods/p-7"),
            "GET one config map": ("GET", f"{root}/configmaps/c-7"),
            "GET /version": ("GET", "/version"),
            "GET a list of 10": ("GET", f"{root}/pods?limit=10"),
            "POST a config map": ("POST", f"{root}/configmaps", new),
            "PATCH a config map": ("PATCH", f"{root}/configmaps/c-8", {"data": {"a": "%d"}}),
        }
        for name, (method, path, *body) in cases.items():
            begun = cpu_seconds(pid)
            if method == "GET" and httpload.WRK:
                rate = httpload.wrk(port, TOKEN, path, seconds)
            else:
                rate = httpload.requests(port, TOKEN, method, path, body[0] if body else None, seconds)
            yield row(name, rate, seconds, cpu_seconds(pid) - begun)


def kept_writes(seconds: float) -> Iterator[dict[str, object]]:
    """The same writes to a server that keeps its cluster in a folder, for processes and for machines that end."""
    new = {"metadata": {"generateName": "g-"}, "data": {"a": "b"}}
    for sync in ("process", "machine"):
        with (
            tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,  # /tmp may be in memory
            server("serve", "--bare", "--state", folder, "--state-sync", sync) as (port, pid),
        ):
            begun = cpu_seconds(pid)
            rate = httpload.requests(port, TOKEN, "POST", "/api/v1/namespaces/default/configmaps", new, seconds)
            yield row(f"POST a config map, --state-sync {sync}", rate, seconds, cpu_seconds(pid) - begun)


def watches(seconds: float, watchers: int) -> Iterator[dict[str, object]]:
    """Pods that change all the time inside of the server, and clients that watch them all."""
    with server("churn") as (port, pid):
        begun = cpu_seconds(pid)
        rates = httpload.watch(port, TOKEN, "/api/v1/pods?watch=true", seconds, watchers)
        used = (cpu_seconds(pid) - begun) * seconds / (seconds + httpload.RUN_UP_S)
    yield row(f"events to each of {watchers} watchers", min(rates), seconds, used)


def row(name: str, rate: float, seconds: float, used: float) -> dict[str, object]:
    return {"case": name, "per_s": round(rate), "per_cpu_s": round(rate * seconds / used) if used else None}


def cpu_seconds(pid: int) -> float:
    """Returns the CPU time that a process has used, 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(*words: str) -> Iterator[tuple[int, int]]:
    """Runs a server on a core of its own and gives its port and its process."""
    with tempfile.TemporaryDirectory() as folder:
        if words[0] == "churn":
            command = [sys.executable, str(Path(__file__).with_name("churn.py")), TOKEN]
        else:
            files = ["--port", "0", "--token", TOKEN, "--kubeconfig", f"{folder}/kubeconfig"]
            command = [sys.executable, "-m", "wavetank", *words, *files]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if len(CORES) > 1:
            os.sched_setaffinity(process.pid, CORES[:1])
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline().rpartition(":")[2]), process.pid
        finally:
            process.terminate()
            process.wait()


def fill(port: int) -> None:
    """Creates pods and config maps."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    container = {"name": "main", "image": "busybox:1", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
    begun = time.perf_counter()
    for i in range(OBJECTS):
        pod = {"metadata": {"name": f"p-{i}", "labels": {"app": "bench"}}, "spec": {"containers": [container]}}
        config = {"metadata": {"name": f"c-{i}"}, "data": {"key": "value"}}
        for plural, document in (("pods", pod), ("configmaps", config)):
            connection.request("POST", f"/api/v1/namespaces/default/{plural}", json.dumps(document), headers)
            answer = connection.getresponse()
            assert answer.status == 201, answer.read()
            answer.read()
    print(f"{2 * OBJECTS} objects created in {time.perf_counter() - begun:.2f} s", file=sys.stderr)


def show(rows: list[dict[str, object]]) -> None:
    table = Table("case", "per second", "per CPU second of the server", title="wavetank serve, one core")
    for each in rows:
        table.add_row(str(each["case"]), *(f"{each[key]:,}" if each[key] else "" for key in ("per_s", "per_cpu_s")))
    Console().print(table)


if __name__ == "__main__":
    main()
