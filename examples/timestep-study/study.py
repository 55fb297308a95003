"""Measures how the synchronization between simulation and scheduler changes the results.

Repeats the study of Batkube's parameters (minimum delay, timeout, maximum time step; burst, spaced and realistic
workloads) and compares them with the same scheduler in virtual time. `python study.py` takes some minutes, `--full`
most of a day; both write study.csv, table.md and an SVG per parameter.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from plots import write_figure

import wavetank

HERE = Path(__file__).parent
PROGRAMS = {
    "python": {"command": [sys.executable, str(HERE / "scheduler.py"), "--kubeconfig", "{kubeconfig}"]},
    "kube-scheduler": {"package": "kube-scheduler", "version": "v1.35.8"},
}
NODES = {"burst": (16, 1), "spaced": (16, 1), "realistic": (1, 6)}
EXACT = "exact"


@dataclass(frozen=True)
class Size:
    """The size of the study; times of parameters in milliseconds."""

    jobs: int
    realistic: int
    runs: int
    table_runs: int
    min_delays: tuple[int, ...]
    timeouts: tuple[int, ...]
    steps: tuple[int, ...]


SMALL = Size(24, 8, 2, 3, (0, 10, 20, 50), (0, 2, 5, 20, 50), (5000, 20_000, 100_000, 1_000_000))
FULL = Size(
    200, 39, 15, 20, tuple(range(0, 51, 5)), tuple(range(101)), tuple(round(10 ** (1 + i / 4)) for i in range(21))
)


@dataclass(frozen=True)
class Run:
    """One run: the varied parameter and the results.

    `over` counts pods that started on a node on which they did not fit, since nodes take what is bound, as Batkube's
    did. `failed` counts pods that did not succeed.
    """

    workload: str
    parameter: str
    value: float
    number: int
    crashed: bool
    duration_s: float
    makespan_s: float = 0.0
    wait_s: float = 0.0
    over: int = 0
    failed: int = 0


def workload_of(name: str, size: Size, realistic: str | None) -> dict[str, Any]:
    if name == "realistic" and realistic:
        return {"file": realistic}
    generator: dict[str, Any] = {"pods": size.jobs, "duration": 170, "requests": {"cpu": 1}, "kind": name}
    if name == "spaced":
        generator["every"] = 10
    if name == "realistic":  # long and short jobs of all sizes, as in the log of a small cluster
        sizes = [{"weight": 4, "cpu": "188m"}, {"weight": 3, "cpu": 1}, {"weight": 2, "cpu": 3}, {"cpu": "5900m"}]
        generator |= {"kind": "spaced", "every": {"exponential": 500}, "pods": size.realistic, "requests": sizes}
        generator["duration"] = {"uniform": [60, 3600]}
    return {"generator": generator}


class Study:
    """Executes the runs one after another, because they are measured in real time."""

    def __init__(self, size: Size, program: dict[str, Any], realistic: str | None) -> None:
        self.size = size
        self.program = program
        self.realistic = realistic
        self.runs: list[Run] = []

    def vary(self, workload: str, parameter: str, values: tuple[int, ...], runs: int, **others: str) -> None:
        for value in values:
            for number in range(1, runs + 1):
                sync = {"mode": "timestep", "detect-scheduler-deadlock": True, **others, parameter: f"{value}ms"}
                self.add(self.run(workload, parameter, value, number, {**self.program, "sync": sync}))

    def exact(self, workload: str, runs: int) -> None:
        for number in range(1, runs + 1):
            self.add(self.run(workload, EXACT, 0, number, self.program))

    def add(self, run: Run) -> None:
        self.runs.append(run)
        outcome = "crashed" if run.crashed else f"makespan {run.makespan_s:8.1f} s, mean wait {run.wait_s:7.1f} s"
        what = f"{run.workload:9} {run.parameter:24} {run.value:7g} #{run.number:<2}"
        print(f"{what} {outcome}, {run.duration_s:.1f} s of wall time", flush=True)

    def run(self, workload: str, parameter: str, value: float, number: int, process: dict[str, Any]) -> Run:
        count, cpu = NODES[workload]
        begun = time.perf_counter()
        try:
            results = wavetank.run(
                cluster={"nodes": [{"count": count, "cpu": cpu, "memory": "16Gi"}]},
                workload=workload_of(workload, self.size, self.realistic),
                schedulers=[{"name": "subject", "process": process}],
                seeds=[1],
                execution={"sharing": True},
            )
        except wavetank.SchedulerError:
            return Run(workload, parameter, value, number, True, time.perf_counter() - begun)
        duration = time.perf_counter() - begun
        pods = results.pods("subject", 1, frame="rows")
        summary = results.summary(frame="rows")[0]
        makespan, wait = summary["makespan_s"], summary["mean_waiting_time_s"]
        failed = sum(pod["phase"] == "Failed" for pod in pods)
        over = overcommitted(pods, cpu)
        return Run(workload, parameter, value, number, False, duration, makespan, wait, over, failed)


def overcommitted(pods: list[dict[str, Any]], cpu: int) -> int:
    """Counts the pods that were started on a node on which they did not fit."""
    changes = sorted(
        change
        for pod in pods
        if pod["started"] is not None and pod["finished"] is not None
        for change in (
            (pod["finished"], 0, pod["node"], -pod["cpu_milli"]),
            (pod["started"], 1, pod["node"], pod["cpu_milli"]),
        )
    )
    used: dict[str, int] = {}
    over = 0
    for _, starts, node, amount in changes:
        used[node] = used.get(node, 0) + amount
        over += bool(starts) and used[node] > 1000 * cpu
    return over


def make(study: Study) -> None:
    size = study.size
    for workload in NODES:
        study.exact(workload, 2)
        study.vary(workload, "min-delay", size.min_delays, size.runs)
        timeouts = tuple(each for each in size.timeouts if workload != "realistic" or each <= 50)
        study.vary(workload, "timeout-value", timeouts, 1)
        base = {"timeout-value": "50ms", "base-simulation-timestep": "10ms"}
        study.vary(workload, "max-simulation-timestep", size.steps, 1, **base)
        for number in range(1, size.table_runs + 1):
            sync = {"mode": "timestep", "timeout-value": "50ms", "max-simulation-timestep": "1000s"}
            study.add(study.run(workload, "table", 0, number, {**study.program, "sync": sync}))


def write(study: Study, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "study.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Run)])
        writer.writeheader()
        writer.writerows(asdict(run) for run in study.runs)
    (out / "table.md").write_text(table(study.runs))
    for parameter in ("min-delay", "timeout-value", "max-simulation-timestep"):
        exact = [run for run in study.runs if run.parameter == EXACT]
        write_figure(
            out / f"{parameter}.svg", parameter, [run for run in study.runs if run.parameter == parameter], exact
        )


def table(runs: list[Run]) -> str:
    """Writes Table 4.1 of the thesis: mean and deviation, in time steps and in virtual time."""
    lines = [
        "| workload | mode | runs | crashes | makespan [s] | mean wait [s] | overcommitted | failed | duration [s] |",
        "|---" * 9 + "|",
    ]
    for workload in NODES:
        for parameter, mode in (("table", "timestep"), (EXACT, "virtual time")):
            found = [run for run in runs if (run.workload, run.parameter) == (workload, parameter)]
            good = [run for run in found if not run.crashed]
            cells = (
                spread([getattr(run, name) for run in good])
                for name in ("makespan_s", "wait_s", "over", "failed", "duration_s")
            )
            crashes = f"{1 - len(good) / len(found):.0%}" if found else ""
            lines.append(f"| {workload} | {mode} | {len(found)} | {crashes} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def spread(values: list[float]) -> str:
    if not values:
        return "-"
    return f"{fmean(values):.1f} ± {stdev(values):.2f}" if len(values) > 1 else f"{values[0]:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="as many jobs, values and runs as in the thesis")
    parser.add_argument("--out", type=Path, default=Path("out/timestep-study"))
    parser.add_argument("--scheduler", choices=PROGRAMS, default="python")
    parser.add_argument("--realistic", help="a Batsim workload in place of the drawn one, such as KIT's 39 jobs")
    given = parser.parse_args()
    study = Study(FULL if given.full else SMALL, PROGRAMS[given.scheduler], given.realistic)
    try:
        make(study)
    finally:
        write(study, given.out)
    print(f"\n{table(study.runs)}\n{given.out}")


if __name__ == "__main__":
    main()
