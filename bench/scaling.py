"""Measures what a pod costs as the cluster and the workload grow, and draws it.

python bench/scaling.py --svg docs/images/scaling.svg --json scaling.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rich.progress import track

import cases
import picture
from run import heap_speed, machine

PODS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
NODES = (100, 300, 1_000, 3_000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cases.lives(1_000, 1_000)  # compiles and warms up
    by_pods = [(pods, cost(1_000, pods)) for pods in track(PODS, "more pods", transient=True)]
    by_nodes = [(nodes, cost(nodes, 20_000)) for nodes in track(NODES, "more nodes", transient=True)]
    cycles = [(nodes, cycle_cost(nodes, 5_000)) for nodes in track(NODES, "cycles", transient=True)]
    charts = [
        ("µs per pod's life, 1,000 nodes", "pods", {"whole life": by_pods}),
        ("µs per pod, by nodes", "nodes", {"whole life": by_nodes, "scheduling cycle": cycles}),
    ]
    options.svg.write_text(picture.panels(charts))
    if options.json:
        figures = {"by_pods": by_pods, "by_nodes": by_nodes, "cycles": cycles, "heapq_per_s": round(heap_speed())}
        options.json.write_text(json.dumps({"machine": machine(), **figures}, indent=2) + "\n")


def cost(nodes: int, pods: int) -> float:
    """Returns microseconds per pod, the set-up of the nodes left aside."""
    alone = min(cases.lives(nodes, 1)[2] for _ in range(2))
    repeat = 3 if pods <= 100_000 else 1
    return round((min(cases.lives(nodes, pods)[2] for _ in range(repeat)) - alone) / pods * 1e6, 1)


def cycle_cost(nodes: int, pods: int) -> float:
    """Returns microseconds per scheduling cycle."""
    return round(min(cases.cycle(nodes, pods)[2] for _ in range(3)) / pods * 1e6, 1)


if __name__ == "__main__":
    main()
