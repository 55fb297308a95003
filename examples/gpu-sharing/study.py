"""How much of the GPUs each policy of GPU sharing puts to use, while pods come until they ask for 1.3 of them.

python study.py                               # on nodes.csv and pods.csv beside this file: some seconds
python study.py --nodes openb_node_list_gpu_node.csv --pods openb_pod_list_default.csv --seeds 42-51

The second is the experiment of the paper (Weng et al., USENIX ATC 2023) on Alibaba's trace of 2023, six policies and
ten seeds: about five minutes of CPU time. Prints a table; --out FOLDER gets the figure, allocation.svg.
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
LOADS = range(131)  # percent of all GPUs that the pods which have come ask for


def curve(pods: Path, capacity: float) -> list[float]:
    """Returns how many percent of the GPUs are in use when so many percent were asked for, for each of LOADS."""
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
    """Returns the thousandths of all GPUs of a list of nodes."""
    with nodes.open(newline="") as file:
        return 1000 * sum(int(row["gpu"]) for row in csv.DictReader(file))


def summary_of(results: wavetank.Results) -> dict[str, list[tuple[float, float]]]:
    """Returns allocation and fragmentation of each seed by policy."""
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
