"""Runs the same scenarios through the built-in scheduler and through the real one, and shows both side by side.

    make bench-compare
    python bench/compare_real.py --version v1.35.8 --pods 1000

Ties are broken as the real one breaks them, and no two pods end in the same nanosecond (in what order goroutines would
hear of that is the real one's own affair), so that both have to come to the same placements. The table says how many
pods went to the same node at the same instant, how long each took, and how many times faster the built-in one is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from wavetank.cluster.releases import SERVED
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.recording import record
from wavetank.loop.building.cache import Cache
from wavetank.results.recording.recorder import Recorder

TICKS = 10_000  # ns: what a process adds by looking at its clock is less

# name: (groups of nodes, generator without its number of pods)
SCENARIOS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "burst on 16 cores": (
        [{"count": 16, "cpu": 1, "memory": "4Gi"}],
        {"kind": "burst", "duration": {"uniform": [120, 220]}, "requests": {"cpu": 1}},
    ),
    "spaced, a cluster with room": (
        [{"count": 100, "cpu": 16, "memory": "64Gi", "zone": ["a", "b", "c"]}],
        {"kind": "spaced", "every": 1, "duration": {"uniform": [60, 600]}, "requests": {"cpu": 2, "memory": "4Gi"}},
    ),
    "Poisson, now and then full": (
        [{"count": 20, "cpu": 8, "memory": "32Gi"}, {"name": "big", "count": 5, "cpu": 32, "memory": "64Gi"}],
        {"kind": "poisson", "rate": 1, "duration": {"exponential": 200}, "requests": {"cpu": "1500m", "memory": "2Gi"}},
    ),
    "500 nodes": (
        [{"count": 500, "cpu": 8, "memory": "32Gi"}],
        {"kind": "poisson", "rate": 50, "duration": 60, "requests": {"cpu": 1, "memory": "1Gi"}},
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default=SERVED.tag)
    parser.add_argument("--pods", type=int, default=500)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    try:
        Cache().find("kube-scheduler", options.version)
    except InputError as error:
        sys.exit(f"{error}\n(it needs Go and takes a few minutes; nothing was compared)")
    rows = [compare(name, options.pods, options.version) for name in SCENARIOS]
    show(rows, options.version)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def compare(name: str, pods: int, version: str) -> dict[str, Any]:
    nodes, generator = SCENARIOS[name]
    process = {"package": "kube-scheduler", "version": version}
    spec = {
        "kubernetesVersion": version.lstrip("v"),
        "ties": "exact",
        "cluster": {"nodes": nodes},
        "workload": {"generator": {**generator, "pods": pods}},
        "schedulers": [{"name": "built-in", "config": DEFAULT}, {"name": "real", "process": process}],
    }
    parsed = parse_experiment({"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "spec": spec}, Path())
    taken, runs = [], []
    for entry in parsed.schedulers:
        begun = time.perf_counter()
        runs.append(outcomes(record(parsed.setting(entry), 1)))
        taken.append(time.perf_counter() - begun)
    same = sum(runs[0][pod] == runs[1].get(pod) for pod in runs[0])
    return {"scenario": name, "pods": pods, "same": same, "built_in_s": taken[0], "real_s": taken[1]}


DEFAULT = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def outcomes(recorder: Recorder) -> dict[str, tuple[object, ...]]:
    return {
        row.name: (row.node, None if row.scheduled is None else row.scheduled // TICKS, row.phase)
        for row in recorder.rows
    }


def show(rows: list[dict[str, Any]], version: str) -> None:
    columns = ("scenario", "pods", "same placement and time", "built-in [pods/s]", "real [pods/s]", "ratio")
    table = Table(*columns, title=f"the built-in scheduler and kube-scheduler {version} in the loop")
    for row in rows:
        rates = [row["pods"] / row[key] for key in ("built_in_s", "real_s")]
        cells = [f"{row['pods']:,}", f"{row['same'] / row['pods']:.1%}", *(f"{rate:,.0f}" for rate in rates)]
        table.add_row(row["scenario"], *cells, f"{row['real_s'] / row['built_in_s']:.0f} ×")
    Console().print(table)


if __name__ == "__main__":
    main()
