"""Repeats the experiments of the TOPSIS thesis, with its own arithmetic and the correct one, and a larger one.

python study.py [FOLDER]      # prints the tables, writes FOLDER/pressure.svg
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import wavetank
from picture import write_curves
from wavetank.scheduling.policies.topsis.closeness import closeness

# Figure 7 of the thesis: cores x 10, memory, storage in all, free storage and frequency of its three nodes.
MATRIX = np.array([[20, 12, 35, 28, 18], [10, 16, 30, 24, 17], [10, 25, 30, 25, 18]], float)
WEIGHTS = {1: (20, 20, 20, 20, 20), 2: (30, 20, 15, 15, 15), 3: (35, 40, 10, 10, 5)}
SAID = {1: 1, 2: 2, 3: 3}
LOADS = {1: (0, 0, 70), 2: (70, 0, 70), 3: (70, 50, 70), 4: (70, 70, 0)}  # percent of memory, used by stress-ng


def closeness_of_the_thesis(matrix: NDArray[np.float64], weights: Sequence[float]) -> list[float]:
    """Computes the numbers of figure 7: with the norm of the whole matrix, row i compared with the ideal of column i,
    and a sum that is not reset between rows."""
    weighted = matrix / np.sqrt((matrix**2).sum()) * np.array(weights)
    distances = []
    for ideal in (weighted.max(axis=0), weighted.min(axis=0)):
        total, found = 0.0, []
        for i, row in enumerate(weighted):
            total = np.sqrt(total + ((row - ideal[i]) ** 2).sum())
            found.append(total)
        distances.append(found)
    return [worst / (best + worst) for best, worst in zip(*distances, strict=True)]


def second_table() -> None:
    print("Weights of CPU, memory, storage, free storage, frequency: which node?\n")
    print(f"{'weights':22} {'thesis says':>12}  {'its arithmetic':31} TOPSIS")
    for case, weights in WEIGHTS.items():
        theirs = closeness_of_the_thesis(MATRIX, weights)
        right = closeness(MATRIX, np.array(weights, float), np.ones(5, bool)).tolist()
        print(f"{' '.join(map(str, weights)):22} {f'node {SAID[case]}':>12}  {best_of(theirs):31} {best_of(right)}")


def best_of(values: Sequence[float]) -> str:
    return f"node {1 + int(np.argmax(values))} ({' '.join(f'{value:.4f}' for value in values)})"


def first_table() -> None:
    print("\nEqual nodes, of whose memory other programs use so many percent: which node?\n")
    print(f"{'used on nodes 1, 2, 3':22} {'kube-scheduler':>15} {'topsis':>8}")
    for loads in LOADS.values():
        nodes = [
            {"name": f"kclient-{i}", "cpu": 2, "memory": "4Gi", "load": {"memory": f"{load}%"}}
            for i, load in enumerate(loads, 1)
        ]
        generator = {"kind": "burst", "pods": 1, "requests": {"cpu": "100m"}}
        results = wavetank.run(
            cluster={"nodes": nodes},
            workload={"generator": generator},
            schedulers=["default", "topsis"],
            ties="exact",
            jobs=1,
        )
        chosen = {name: node_of(results, name) for name in ("default", "topsis")}
        print(f"{' '.join(map(str, loads)):22} {chosen['default']:>15} {chosen['topsis']:>8}")


def node_of(results: wavetank.Results, scheduler: str) -> str:
    (pod,) = results.pods(scheduler, 1, "pandas").to_dict("records")
    return str(pod["node"]).split("-")[1]


def larger(folder: Path) -> None:
    """Runs sixty nodes of three sizes, half of which run other programs, and compares the overload by scheduler."""
    sizes = [(4, "16Gi"), (8, "32Gi"), (16, "64Gi")]
    nodes = [
        {"count": 10, "name": f"{kind}-{cpu}", "cpu": cpu, "memory": memory, "load": load}
        for cpu, memory in sizes
        for kind, load in (("idle", {}), ("busy", {"memory": "60%", "cpu": "30%"}))
    ]
    generator = {"kind": "burst", "pods": 560, "requests": {"cpu": "500m", "memory": "2Gi"}}
    memory = {"criteria": ["free_memory", "memory_utilisation"], "weights": [1, 3]}
    schedulers = [
        {"name": "default"},
        {"name": "topsis"},
        {"name": "topsis-memory", "policy": "topsis", "args": memory},
    ]
    results = wavetank.run(cluster={"nodes": nodes}, workload={"generator": generator}, schedulers=schedulers, jobs=1)
    has = {f"{group['name']}-{i}": group for group in nodes for i in range(10)}
    curves = {}
    for entry in schedulers:
        name = str(entry["name"])
        asked = dict.fromkeys(has, 0.0)
        for node in results.pods(name, 1, "pandas")["node"]:
            asked[node] += 2
        curves[name] = sorted(
            (
                100 * asked[node] / int(group["memory"][:-2]) + (60 if group["load"] else 0)
                for node, group in has.items()
            ),
            reverse=True,
        )
    print("\nSixty nodes, half of them with 60 % of their memory in use by others, 560 pods of 2 GiB:\n")
    print(f"{'scheduler':16} {'fullest node':>13} {'nodes that need more memory than they have':>43}")
    for name, curve in curves.items():
        print(f"{name:16} {f'{curve[0]:.0f} %':>13} {sum(value > 100 for value in curve):>43}")
    write_curves(folder / "pressure.svg", curves)


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    second_table()
    first_table()
    larger(where)
