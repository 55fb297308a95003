"""Writes src/wavetank/simulation/latency/k3s.py: the latency preset `k3s`, fitted to ten real runs of a k3s cluster.

The runs (`batkube-real-k3s`: 200 jobs of 170 s, one every 10 s, on 16 one-core nodes) carry for each job when it was
scheduled, when its image pull began and ended, when its container was created and started, and when it ended.
Every step is fitted by its moments:

    bind        scheduled − end of the job that freed the node, where the queue was not empty (below 0.1 s)
    sync        pulling − scheduled: two clusters, below and above 1.7 s, each taken as normal
    pull_check  pulled − pulling where the image was there (below 2.5 s)
    bandwidth   an image of 50 MiB in the rest of pulled − pulling where it was not (2.5 s and more)
    start       starting_time − pulled
    finish      finish_time − starting_time − 170 s

    python scripts/fit_k3s.py ../shared/data/batkube-real-k3s            # prints the fit
    python scripts/fit_k3s.py ../shared/data/batkube-real-k3s --write    # and writes the preset
    python scripts/fit_k3s.py ../shared/data/batkube-real-k3s --check    # simulates the runs and compares
"""

from __future__ import annotations

import argparse
import csv
import pprint
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sources import ROOT, recordings
from wavetank.realclusters.fitting.distributions import normal, two_normals
from wavetank.realclusters.fitting.steps import Occupation, freed_gaps

PRESET = ROOT / "src/wavetank/simulation/latency/k3s.py"
HEADER = '"""The latency preset `k3s`: written by scripts/fit_k3s.py, which says from what and how; do not edit."""\n\n'

DELAY = 170.0
SYNC_SPLIT = 1.7
PULL_SPLIT = 2.5
LONGEST_BIND = 0.1
IMAGE_MIB = 50

Job = dict[str, float]


def main() -> None:
    """Does what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="default: $WAVETANK_SHARED/data/batkube-real-k3s")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    data = options.data or recordings("batkube-real-k3s")
    runs = [read_run(path) for path in sorted(data.glob("real_*_jobs.csv"))]
    text = f"K3S: dict[str, object] = {pprint.pformat(fit(runs), width=100, sort_dicts=False)}\n"
    print(text)
    if options.write:
        PRESET.write_text(HEADER + text)
        subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", PRESET], check=True)
    if options.check:
        check(data, runs)


def read_run(path: Path) -> list[Job]:
    """Reads the numbers of one run; a job that was not seen being scheduled lacks them."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    numeric = [column for column in rows[0] if column not in ("workload_name", "profile", "final_state", "metadata")]
    return [{column: float(row[column]) for column in numeric if row[column]} for row in rows]


def fit(runs: list[list[Job]]) -> dict[str, object]:
    """Returns the preset as a document writes it."""
    jobs = [job for run in runs for job in run]
    sync = [job["pulling"] - job["scheduled"] for job in jobs if "scheduled" in job]
    pulls = [job["pulled"] - job["pulling"] for job in jobs]
    checks = [pull for pull in pulls if pull < PULL_SPLIT]
    download = statistics.mean(pull for pull in pulls if pull >= PULL_SPLIT) - statistics.mean(checks)
    return {
        "bind": normal(gap for run in runs for gap in gaps(run)),
        "sync": two_normals(sync, SYNC_SPLIT),
        "pull_check": normal(checks),
        "start": normal(job["starting_time"] - job["pulled"] for job in jobs),
        "finish": normal(job["finish_time"] - job["starting_time"] - DELAY for job in jobs),
        "bandwidth": round(IMAGE_MIB * 1024 * 1024 / download),
        "image_bytes": f"{IMAGE_MIB}Mi",
    }


def gaps(run: list[Job]) -> Iterator[float]:
    """Yields the times from the end of a job to the scheduling of the next on its node, where one was waiting."""
    placed = (job for job in run if "allocated_resources" in job)
    names = ("allocated_resources", "submission_time", "scheduled", "starting_time", "finish_time")
    return freed_gaps((Occupation(*(job.get(name, 0.0) for name in names)) for job in placed), LONGEST_BIND)


def check(data: Path, runs: list[list[Job]]) -> None:
    """Simulates the workload under ten seeds and prints both means."""
    import wavetank

    results = wavetank.run(
        cluster={"files": [str(data / "platform_graphene_16nodes.xml")], "objects": [SYSTEM_POD]},
        workload=data / "spaced_200_delay170.workload.json",
        latency="k3s",
        seeds="1-10",
    )
    rows = results.summary(frame="rows")
    real = {
        "makespan_s": [max(j["finish_time"] for j in run) - min(j["submission_time"] for j in run) for run in runs],
        "mean_waiting_time_s": [statistics.mean(job["waiting_time"] for job in run) for run in runs],
    }
    for metric, values in real.items():
        simulated = statistics.mean(row[metric] for row in rows)
        error = simulated / statistics.mean(values) - 1
        print(f"{metric}: real {statistics.mean(values):.1f}, simulated {simulated:.1f} ({error:+.2%})")


# What kept one of the sixteen nodes from ever running a job: a system pod on its single core.
SYSTEM_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "coredns", "namespace": "kube-system"},
    "spec": {
        "nodeName": "graphene-1.nancy.grid5000.fr",
        "containers": [{"name": "coredns", "image": "coredns", "resources": {"requests": {"cpu": "100m"}}}],
    },
}


if __name__ == "__main__":
    main()
