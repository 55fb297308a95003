"""Runs of the study: both node sets with one expander."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavetank.api.experiments import run

CORES = {"small": 4, "large": 8}
MOST = 10  # nodes of a set
PODS = 242  # more than 10 + 10 nodes hold
EVERY = 15  # seconds


@dataclass(frozen=True)
class Run:
    """The machines of a run: of each set the times from which to which nodes were there, and when they were ordered."""

    nodes: dict[str, list[tuple[float, float]]]
    orders: list[float]
    cost: float

    def size(self, group: str, time: float) -> int:
        """Returns how many nodes a set has at a time."""
        return sum(begin <= time < end for begin, end in self.nodes[group])

    def cores(self, time: float) -> int:
        """Returns the CPUs of both sets."""
        return sum(CORES[group] * self.size(group, time) for group in CORES)

    def mean_cores(self, end: int) -> float:
        """Returns the mean of the CPUs up to a time."""
        times = range(0, end, 5)
        return sum(map(self.cores, times)) / len(times)

    def reaches(self, group: str, size: int) -> float:
        """Returns when a set first has so many nodes."""
        return next((time for time, _ in sorted(self.nodes[group]) if self.size(group, time) >= size), float("inf"))


def make_run(expander: str, seed: int, folder: Path) -> Run:
    """Makes a run with its results in `folder`, and reads its machines."""
    results = run(experiment(expander, write_pods(folder)), seeds=seed, out=folder / f"{expander}-{seed}")
    nodes: dict[str, list[tuple[float, float]]] = {group: [] for group in CORES}
    orders = []
    for row in results.node_timeline("default", seed, frame="rows"):
        if row["group"]:
            gone = row["gone_s"]
            nodes[row["group"]].append((row["ready_s"], float("inf") if gone is None else gone))
            orders.append(row["ordered_s"])
    return Run(nodes, orders, results.summary("rows")[0]["cost"])


def experiment(expander: str, pods: Path) -> dict[str, Any]:
    """Returns the document of the runs; `pods` is the file of their workload."""
    control = {"name": "control", "cpu": 1, "memory": "1Gi", "taints": [{"key": "control", "effect": "NoSchedule"}]}
    group = {"min": 1, "max": MOST, "initial": 1, "boot": "45s"}
    return {
        "apiVersion": "wavetank.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": "cluster-scaling"},
        "spec": {
            "cluster": {"nodes": [control]},
            "workload": {"file": str(pods)},
            "nodeGroups": [
                {"name": "small", **group, "cpu": CORES["small"], "memory": "8Gi", "price": 0.1},
                {"name": "large", **group, "cpu": CORES["large"], "memory": "17Gi", "price": 0.2},
            ],
            "autoscaler": {
                "expander": expander,
                "scale-down-unneeded-time": "2m",
                "scale-down-delay-after-add": "1m",
            },
            "horizon": "2h30m",
        },
    }


def write_pods(folder: Path) -> Path:
    """Writes the pods: one more of 0.5 CPU every 15 s, then one less; the last one to come is the first to go."""
    path = folder / "pods.csv"
    last = (2 * PODS) * EVERY
    rows = [f"pod-{i:03},{i * EVERY},{last - 2 * i * EVERY},500,512Mi" for i in range(PODS)]
    path.write_text("\n".join(["name,arrival_s,duration_s,cpu_milli,memory", *rows]) + "\n")
    return path
