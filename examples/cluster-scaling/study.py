"""Runs the experiment with the expanders least-waste and random, and prints how many nodes of each set pods used."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import yaml

import wavetank

HERE = Path(__file__).parent
TIMES = (600, 1200, 1800, 2400, 3000, 3600, 5400, 7200)  # in seconds


def nodes_in_use(folder: Path, time: int) -> dict[str, int]:
    """Returns how many nodes of each set have a pod at a time."""
    used: dict[str, set[str]] = {"small": set(), "large": set()}
    with (folder / "default" / "seed-1" / "pods.csv").open() as file:
        for row in csv.DictReader(file):
            if row["started"] and float(row["started"]) <= time < float(row["finished"] or "inf"):
                used[row["node"].rpartition("-")[0]].add(row["node"])
    return {group: len(nodes) for group, nodes in used.items()}


def main(out: Path) -> None:
    """Prints the table."""
    print("time [s]   least-waste     random")
    folders = []
    for expander in ("least-waste", "random"):
        folders.append(out / expander)
        experiment = yaml.safe_load((HERE / "experiment.yaml").read_text())
        experiment["spec"]["workload"] = {"file": str(HERE / "pods.csv")}
        experiment["spec"]["autoscaler"]["expander"] = expander
        wavetank.run(experiment, out=folders[-1])
    for time in TIMES:
        cells = (nodes_in_use(folder, time) for folder in folders)
        print(f"{time:8}", *(f"{each['small']:6} + {each['large']:2}" for each in cells))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/cluster-scaling"))
