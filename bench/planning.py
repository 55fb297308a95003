"""Measures `wavetank whatif` and `wavetank capacity` on a snapshot of 1,000 nodes and 30,000 pods.

Run it with `python bench/planning.py`; times are those of the processor, of the whole command.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wavetank.snapshots.snapshot import make_snapshot, write_snapshot

_NODES, _SERVICES, _REPLICAS = 1000, 600, 50
_Object = dict[str, Any]


def nodes() -> Iterator[_Object]:
    """Yields nodes of 32 CPUs in three zones."""
    for i in range(_NODES):
        labels = {"kubernetes.io/hostname": f"n-{i}", "topology.kubernetes.io/zone": "abc"[i % 3]}
        allocatable = {"cpu": "32", "memory": "128Gi", "pods": "110"}
        status = {"allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}
        yield {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n-{i}", "labels": labels}, "status": status}


def services() -> Iterator[_Object]:
    """Yields the pods of services on random nodes, of which every third spreads over zones, and some budgets."""
    draw = random.Random(1)
    for i in range(_SERVICES):
        requests = {"cpu": draw.choice(["100m", "250m", "500m", "1"]), "memory": draw.choice(["128Mi", "1Gi", "2Gi"])}
        for number in range(_REPLICAS):
            yield _pod(i, number, requests, f"n-{draw.randrange(_NODES)}")
        if i % 5 == 0:
            spec = {"maxUnavailable": "10%", "selector": {"matchLabels": {"app": f"svc-{i}"}}}
            metadata = {"name": f"svc-{i}", "namespace": f"team-{i % 20}"}
            yield {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}


def _pod(service: int, number: int, requests: dict[str, str], node: str) -> _Object:
    name = f"svc-{service}"
    labels = {"app": name, "pod-template-hash": f"{service:05x}"}
    owner = f"{name}-{service:05x}"
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    spread = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app": name}},
    }
    metadata = {
        "name": f"{owner}-{number}",
        "namespace": f"team-{service % 20}",
        "uid": f"{owner}-{number}",
        "labels": labels,
        "ownerReferences": [reference],
    }
    container = {"name": "main", "image": name, "resources": {"requests": requests}}
    spec = {"nodeName": node, "containers": [container]}
    if service % 3 == 0:
        spec["topologySpreadConstraints"] = [spread]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


def measured(*words: str) -> float:
    """Returns the processor time of a command, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.executable, "-m", "wavetank", *words], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> None:
    """Prints the times of both commands."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "snapshot.yaml.gz"
        write_snapshot(make_snapshot([*nodes(), *services()]), file)
        for words in (["whatif", str(file), "--drain", "n-5"], ["capacity", str(file)]):
            print(f"{words[0]}: {measured(*words):.1f} s")


if __name__ == "__main__":
    main()
