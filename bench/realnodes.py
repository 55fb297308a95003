"""Measures `wavetank nodes`: how many simulated nodes and pods one core carries under an API server.

    python bench/realnodes.py --nodes 500 --pods 5000                                  # wavetank serve --bare
    python bench/realnodes.py --nodes 5000 --pods 50000 --kubeconfig kubeconfig        # a cluster of yours, left full

Pods are created already bound, evenly over the nodes, by a client beside it, and run until they are stopped; so the
figures are those of the nodes and of the API server, not of a scheduler. Given are the time until all nodes are ready
and all pods run, and the CPU time and memory of the program, also while nothing happens but heartbeats. If the API
server runs on the same machine, wall times say more about that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from wavetank.batchoperator.client.remote.kubeconfig import read_server
from wavetank.cluster.store.errors import ApiError
from wavetank.realclusters.client.client import ApiClient

QUIET_S = 30.0
PAUSE_S = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--kubeconfig", type=Path, help="default: a server of its own, wavetank serve --bare")
    parser.add_argument("--context", default="wavetank")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, server(options.kubeconfig, Path(folder)) as kubeconfig:
        figures = measure(kubeconfig, options.context, Path(folder), options.nodes, options.pods)
        print(json.dumps(asyncio.run(figures), indent=2))


@contextmanager
def server(given: Path | None, folder: Path) -> Iterator[Path]:
    """Yields a kubeconfig: that of the user, or of a server that ends with the block."""
    if given is not None:
        yield given
        return
    kubeconfig = folder / "kubeconfig"
    words = ["serve", "--bare", "--port", "0", "--kubeconfig", str(kubeconfig)]
    process = subprocess.Popen([sys.executable, "-m", "wavetank", *words], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()  # printed as soon as it listens
        yield kubeconfig
    finally:
        process.terminate()
        process.wait()


async def measure(kubeconfig: Path, context: str, folder: Path, nodes: int, pods: int) -> dict[str, float]:
    """Returns the figures of one run."""
    file = folder / "nodes.yaml"
    status = {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "250"}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status}
    node["metadata"] = {"name": "n", "annotations": {"wavetank.dev/count": str(nodes)}}
    file.write_text(yaml.safe_dump(node))
    words = ["nodes", "--kubeconfig", str(kubeconfig), "--context", context, "--cluster", str(file), "--keep"]
    begun = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "wavetank", *words], stdout=subprocess.PIPE, text=True)
    client = ApiClient(read_server(kubeconfig, context))
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        assert line.startswith("joined"), line
        await until(client, "/api/v1/nodes", nodes, is_ready)
        joined = time.monotonic() - begun, cpu_seconds(process.pid)
        await asyncio.gather(*(create(client, i, nodes) for i in range(pods)))
        created = time.monotonic() - begun
        await until(client, "/api/v1/pods", pods, lambda pod: pod["status"]["phase"] == "Running")
        running = time.monotonic() - begun, cpu_seconds(process.pid)
        await asyncio.sleep(QUIET_S)
        quiet = (cpu_seconds(process.pid) - running[1]) / QUIET_S
        return {
            "nodes ready [s]": round(joined[0], 1),
            "CPU until then [s]": round(joined[1], 1),
            "pods created [s]": round(created - joined[0], 1),
            "pods running, after the last creation [s]": round(running[0] - created, 1),
            "CPU for pods [s]": round(running[1] - joined[1], 1),
            "pods per CPU second": round(pods / (running[1] - joined[1])),
            "share of a core while quiet": round(quiet, 3),
            "memory [MB]": memory_mb(process.pid),
        }
    finally:
        process.kill()
        process.wait()
        client.close()


def is_ready(node: dict) -> bool:
    conditions = node["status"].get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


async def create(client: ApiClient, number: int, nodes: int) -> None:
    """Creates a pod that is bound already; again if the server has too much to do."""
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}}}
    spec = {"nodeName": f"n-{number % nodes}", "containers": [container], "automountServiceAccountToken": False}
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{number}"}, "spec": spec}
    while True:
        try:
            await client.request("POST", "/api/v1/namespaces/default/pods", document)
            return
        except ApiError as error:
            if error.code == 409:
                return
            await asyncio.sleep(PAUSE_S)


async def until(client: ApiClient, path: str, count: int, holds: Callable[[dict], bool]) -> None:
    """Waits until so many objects fulfil a condition."""
    while True:
        found, token = 0, ""
        while True:
            more = f"&continue={token}" if token else ""
            answer = await client.read("GET", f"{path}?limit=2000{more}")
            found += sum(holds(item) for item in answer.get("items") or ())
            token = answer["metadata"].get("continue") or ""
            if not token:
                break
        if found >= count:
            return
        await asyncio.sleep(PAUSE_S)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


if __name__ == "__main__":
    main()
