"""Compares the expanders least-waste and random as the ClusterScaling study of Kubernetes-in-the-Loop does (figure 5).

python study.py OUT        # prints the sizes of both node sets and the claims of the paper; writes OUT/figure5.svg
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yaml

import wavetank
from picture import write_figure

HERE = Path(__file__).parent
TIMES = (300, 600, 900, 1200, 1800, 2400, 3000, 3600, 5400, 7200)  # in seconds
SEEDS = range(1, 11)  # of the random expander; the table and the figure show the first
GROWTH = 1400  # seconds: with least-waste the small set is full then
CORES = {"small": 4, "large": 8}
MOST = 10  # nodes of a set


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


def run(expander: str, seed: int, out: Path) -> Run:
    """Makes a run and reads its machines."""
    experiment = yaml.safe_load((HERE / "experiment.yaml").read_text())
    experiment["spec"]["workload"] = {"file": str(HERE / "pods.csv")}
    experiment["spec"]["autoscaler"]["expander"] = expander
    results = wavetank.run(experiment, seeds=seed, out=out / f"{expander}-{seed}")
    nodes: dict[str, list[tuple[float, float]]] = {group: [] for group in CORES}
    orders = []
    with (results.folder / f"default/seed-{seed}/node_timeline.csv").open() as file:
        for row in csv.DictReader(file):
            if row["group"]:
                nodes[row["group"]].append((float(row["ready_s"]), float(row["gone_s"] or "inf")))
                orders.append(float(row["ordered_s"]))
    return Run(nodes, orders, results.summary("rows")[0]["cost"])


def claims(least_waste: Run, randoms: Sequence[Run]) -> list[tuple[str, str, bool]]:
    """Returns what the paper says of figure 5, what is measured, and whether it holds."""
    runs = (least_waste, *randoms)
    full, first = least_waste.reaches("small", MOST), least_waste.reaches("large", 2)
    grown = [max(each.reaches("small", 2), each.reaches("large", 2)) for each in randoms]
    cores = [each.mean_cores(GROWTH) for each in runs]
    orders = [sum(0 < time <= GROWTH for time in each.orders) for each in runs]
    tops = {(each.size("small", 3700), each.size("large", 3700)) for each in runs}
    ends = {(each.size("small", 8400), each.size("large", 8400)) for each in runs}
    costs = [each.cost for each in runs]
    return [
        (
            "least-waste: the small set reaches 10 nodes, then the large one grows",
            f"10 small nodes after {full:.0f} s, the second large one after {first:.0f} s",
            full < first,
        ),
        (
            "random: both sets grow early",
            f"each set has its second node after {median(grown):.0f} s in the median run ({_range(grown, '.0f')} s), "
            f"with least-waste after {first:.0f} s",
            median(grown) < first,
        ),
        (
            "least-waste: CPUs increase slowly at first",
            f"on average {cores[0]:.1f} CPUs in the first {GROWTH} s, with random {_range(cores[1:], '.1f')}",
            cores[0] < min(cores[1:]),
        ),
        (
            "least-waste: many upscaling decisions at first",
            f"{orders[0]} machines ordered in the first {GROWTH} s, with random {_range(orders[1:], 'd')}",
            orders[0] > max(orders[1:]),
        ),
        (
            "both stop when the sets have their maximum",
            f"{_pairs(tops)} nodes after 62 min",
            tops == {(MOST, MOST)},
        ),
        (
            "least-waste is the policy that saves cost",
            f"{costs[0]:.3f} over the whole run, with random {_range(costs[1:], '.3f')}",
            costs[0] < min(costs[1:]),
        ),
        (
            "with fewer pods, both sets shrink again (not in the paper)",
            f"{_pairs(ends)} nodes after 140 min",
            ends == {(1, 1)},
        ),
    ]


def _range(values: Sequence[float], form: str) -> str:
    return f"{min(values):{form}} to {max(values):{form}}"


def _pairs(sizes: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{small} + {large}" for small, large in sorted(sizes))


def main(out: Path) -> None:
    """Prints the tables and draws the figure."""
    least_waste, randoms = run("least-waste", 1, out), [run("random", seed, out) for seed in SEEDS]
    print("nodes      least-waste      random")
    print("time [s]   small + large    small + large")
    for time in TIMES:
        cells = (f"{each.size('small', time):8} + {each.size('large', time):2}" for each in (least_waste, randoms[0]))
        print(f"{time:8}", *cells, sep="   ")
    print()
    for claim, measured, holds in claims(least_waste, randoms):
        print(f"{'yes' if holds else 'no':4}{claim}\n      {measured}")
    write_figure(out / "figure5.svg", {"least-waste": least_waste, "random": randoms[0]})


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/cluster-scaling"))
