"""Measures the real kube-scheduler on our API server: in lockstep, running freely, and through a long trace.

    make bench-loop
    python bench/loop.py --pods 2000 --nodes 1000 5000 --version v1.35.8

In lockstep one experiment is run with `process:`, starting the program included. Freely the same program runs by the
wall clock against `wavetank serve --scheduler none`; pods are there before it starts, and the time is that from the
first binding to the last. Beside pods per second stands what one second of CPU time of both programs would do: on a
machine that others use too, that is the figure to compare. The figures of a real kube-apiserver with etcd, and of a
stub of an API in Python, were measured on another day (issue 8): they are there to have them side by side.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from rich.console import Console
from rich.table import Table

from serve import TOKEN, cpu_seconds
from wavetank.cluster.releases import SERVED
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.recording import record
from wavetank.loop.building.cache import Cache
from wavetank.loop.processes.configuration import HEAD, complete

REQUESTS = {"cpu": "100m", "memory": "200Mi"}
NODE = {"cpu": "32", "memory": "128Gi"}
KNOWN = {1000: {"real": 229, "stub": 459}, 5000: {"real": 336, "stub": 297}}
DAY_S = 86_400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pods", type=int, default=2000)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--version", default=SERVED.tag)
    parser.add_argument("--day", type=int, default=3000, help="pods of the day-long trace, 0 to leave it out")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    find_program(options.version)
    rows = [row for nodes in options.nodes for row in measure(nodes, options.pods, options.version)]
    day = a_day(options.day, options.version) if options.day else None
    show(rows, day)
    if options.json:
        options.json.write_text(json.dumps({"pods_per_s": rows, "day": day}, indent=2) + "\n")


def find_program(version: str) -> str:
    """Returns the program's file; ends with what to do about it if it has not been built."""
    try:
        return Cache().find("kube-scheduler", version).file
    except InputError as error:
        sys.exit(f"{error}\n(it needs Go and takes a few minutes; nothing was measured)")


def measure(nodes: int, pods: int, version: str) -> Iterator[dict[str, Any]]:
    yield {"nodes": nodes, "how": "lockstep", **lockstep(nodes, pods, version)}
    yield {"nodes": nodes, "how": "freely", **freely(nodes, pods, version)}


def experiment(nodes: int, generator: dict[str, Any], version: str, **spec: Any) -> Any:
    document = {
        "apiVersion": "wavetank.dev/v1alpha1",
        "kind": "Experiment",
        "spec": {
            "kubernetesVersion": version.lstrip("v"),
            "cluster": {"nodes": [{"count": nodes, **NODE}]},
            "workload": {"generator": {"requests": REQUESTS, **generator}},
            "schedulers": [{"name": "real", "process": {"package": "kube-scheduler", "version": version}}],
            **spec,
        },
    }
    return parse_experiment(document, Path())


def run(parsed: Any) -> tuple[Any, float, float]:
    """Makes a run; returns what was recorded, and seconds of wall and of CPU time, the program's included."""
    children = resource.RUSAGE_CHILDREN
    before, begun, used = resource.getrusage(children), time.perf_counter(), time.process_time()
    recorder = record(parsed.setting(parsed.schedulers[0]), 1)
    wall, used = time.perf_counter() - begun, time.process_time() - used
    after = resource.getrusage(children)
    return recorder, wall, used + after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def lockstep(nodes: int, pods: int, version: str) -> dict[str, Any]:
    parsed = experiment(nodes, {"kind": "burst", "pods": pods, "duration": 3600}, version, horizon="60s")
    recorder, wall, used = run(parsed)
    assert all(row.scheduled is not None for row in recorder.rows)
    return {"per_s": round(pods / wall), "per_cpu_s": round(pods / used)}


def a_day(pods: int, version: str) -> dict[str, Any]:
    """Jobs of some minutes over a day, on a cluster that is now and then full."""
    generator = {"kind": "poisson", "pods": pods, "rate": pods / DAY_S, "duration": {"exponential": 1800}}
    generator["requests"] = {"cpu": "8", "memory": "8Gi"}
    recorder, wall, _ = run(experiment(20, generator, version))
    simulated = recorder.end / 1e9
    return {
        "pods": pods,
        "simulated_s": round(simulated),
        "wall_s": round(wall, 1),
        "speed_up": round(simulated / wall),
    }


# freely


def freely(nodes: int, pods: int, version: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_nodes(folder / "nodes.json", nodes)
        with serving(folder) as (port, server):
            create_pods(port, pods)
            with scheduling(folder, version) as scheduler:
                before = cpu_seconds(server)
                seconds = until_bound(port, pods)
                used = cpu_seconds(server) - before + cpu_seconds(scheduler)
    return {"per_s": round(pods / seconds), "per_cpu_s": round(pods / used)}


def write_nodes(path: Path, nodes: int) -> None:
    capacity = {**NODE, "pods": "110"}
    items = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"node-{i}"},
            "status": {"capacity": capacity, "allocatable": capacity},
        }
        for i in range(nodes)
    ]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, int]]:
    options = ["--port", "0", "--token", TOKEN, "--kubeconfig", f"{folder}/kubeconfig", "--kubelets", "off"]
    command = [sys.executable, "-m", "wavetank", "serve", "--scheduler", "none", "--cluster", f"{folder}/nodes.json"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline().rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.wait()


@contextmanager
def scheduling(folder: Path, version: str) -> Iterator[int]:
    """Runs the program by the wall clock: without the simulator's word it behaves like any other build of it."""
    configuration = complete(HEAD, f"{folder}/kubeconfig", [])
    del configuration["parallelism"]
    (folder / "configuration.json").write_text(json.dumps(configuration))
    command = [find_program(version), f"--config={folder}/configuration.json", "--secure-port=0"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def create_pods(port: int, pods: int) -> None:
    connection = HTTPConnection("127.0.0.1", port)
    containers = [{"name": "main", "image": "busybox:1", "resources": {"requests": REQUESTS}}]
    for i in range(pods):
        pod = {"metadata": {"name": f"pod-{i}"}, "spec": {"containers": containers}}
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        connection.request("POST", "/api/v1/namespaces/default/pods", json.dumps(pod), headers)
        answer = connection.getresponse()
        assert answer.status == 201, answer.read()
        answer.read()


def until_bound(port: int, pods: int) -> float:
    """Watches pods and returns the seconds from the first that is bound to the last."""
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/api/v1/pods?watch=true", headers={"Authorization": f"Bearer {TOKEN}"})
    answer = connection.getresponse()
    bound: set[str] = set()
    first = time.perf_counter()
    while len(bound) < pods:
        pod = json.loads(answer.readline())["object"]
        if pod["spec"].get("nodeName"):
            first = first if bound else time.perf_counter()
            bound.add(pod["metadata"]["name"])
    return time.perf_counter() - first


def show(rows: list[dict[str, Any]], day: dict[str, Any] | None) -> None:
    columns = ("nodes", "how", "pods/s", "pods per CPU second", "real API server + etcd", "stub in Python")
    table = Table(*columns, title=f"kube-scheduler on wavetank's API server, {os.cpu_count()} cores")
    for row in rows:
        known = KNOWN.get(row["nodes"], {})
        cells = (row["nodes"], row["how"], row["per_s"], row["per_cpu_s"], known.get("real", ""), known.get("stub", ""))
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells))
    Console().print(table)
    if day is not None:
        summary = f"{day['pods']:,} pods over {day['simulated_s'] / 3600:.1f} simulated hours"
        Console().print(f"{summary}: {day['wall_s']} s of wall time, {day['speed_up']:,} times as fast as time itself")


if __name__ == "__main__":
    main()
