"""Measures how many GPUs each policy of GPU sharing allocates, while pods arrive until they request 1.3 times all GPUs.

python study.py                               # with nodes.csv and pods.csv in this folder: some seconds
python study.py --nodes openb_node_list_gpu_node.csv --pods openb_pod_list_default.csv --seeds 42-51

The second command is the experiment of the paper (Weng et al., USENIX ATC 2023) on Alibaba's trace of 2023, with six
policies and ten seeds; it takes about five minutes of CPU time. Both print a table and write allocation.svg to
--out FOLDER.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

import wavetank
from picture import write_curves

HERE = Path(__file__).parent
LOADS = range(131)  # requested GPUs of all pods submitted so far, in percent of all GPUs


def curve(pods: Path, capacity: float) -> list[float]:
    """Returns the percentage of allocated GPUs for each requested percentage of LOADS."""
    arrived, used, reached = 0.0, 0.0, [0.0]
    with pods.open(newline="") as file:
        for row in csv.DictReader(file):
            wanted = 100 * int(row["gpu_milli"]) / capacity
            arrived += wanted
            used += wanted if row["node"] else 0
            while len(reached) <= arrived and len(reached) < len(LOADS):
                reached.append(used)
    return reached + [used] * (len(LOADS) - len(reached))


def capacity_of(nodes: Path) -> float:
    """Returns the GPUs of a list of nodes, in thousandths."""
    with nodes.open(newline="") as file:
        return 1000 * sum(int(row["gpu"]) for row in csv.DictReader(file))


def summary_of(results: wavetank.Results) -> dict[str, list[tuple[float, float]]]:
    """Returns allocation and fragmentation of each seed, by policy."""
    figures: dict[str, list[tuple[float, float]]] = {}
    with (results.folder / "summary.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            values = float(row["gpu_allocation"]), float(row["gpu_fragmentation"])
            figures.setdefault(row["scheduler"], []).append(values)
    return figures


def print_table(figures: dict[str, list[tuple[float, float]]]) -> None:
    print(f"{'policy':14} {'GPU allocation':>18} {'GPU fragmentation':>20}")
    for policy, of_seeds in figures.items():
        cells = [spread([values[column] for values in of_seeds]) for column in (0, 1)]
        print(f"{policy:14} {cells[0]:>18} {cells[1]:>20}")


def spread(values: Sequence[float]) -> str:
    return f"{mean(values):.2f} ± {stdev(values) if len(values) > 1 else 0:.2f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description="GPU allocation by policy")
    parser.add_argument("--nodes", type=Path, default=HERE / "nodes.csv")
    parser.add_argument("--pods", type=Path, default=HERE / "pods.csv")
    parser.add_argument("--seeds", default="1-5")
    parser.add_argument("--out", type=Path, default=Path())
    parser.add_argument("--jobs", type=int)
    args = parser.parse_args()
    workload = {"file": str(args.pods.resolve()), "inflate": {"resource": "gpu", "target": 1.3}}
    results = wavetank.run(
        HERE / "experiment.yaml", cluster=args.nodes, workload=workload, seeds=args.seeds, jobs=args.jobs
    )
    figures = summary_of(results)
    print_table(figures)
    capacity = capacity_of(args.nodes)
    curves = {}
    for policy in figures:
        runs = [curve(pods, capacity) for pods in sorted((results.folder / policy).glob("seed-*/pods.csv"))]
        curves[policy] = [mean(values) for values in zip(*runs, strict=True)]
    args.out.mkdir(parents=True, exist_ok=True)
    write_curves(args.out / "allocation.svg", curves)


if __name__ == "__main__":
    main()
