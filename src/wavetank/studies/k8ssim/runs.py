"""Runs scenarios with all their algorithms, on K8sSim's model of nodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from wavetank.api.experiments import run as run_experiment
from wavetank.studies.k8ssim.scenarios import Scenario
from wavetank.studies.k8ssim.workloads import CHOSEN, Choices, job_queue, nodes, task_queue
from wavetank.studies.study import StudyContext

VERSION = "1.35"  # the last release with the formula of BalancedResourceAllocation that the paper describes
COMPAT = "-k8ssim-compat"


@dataclass(frozen=True)
class Run:
    """One run: an algorithm on one workload of a scenario. Times in seconds; `wall` is that of the simulation."""

    scenario: int
    seed: int
    algorithm: str
    makespan: float
    latency: float
    left: int
    wall: float


class Runs:
    """All runs of a study, read by scenario and algorithm."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.all = list(runs)
        self._runs: dict[tuple[int, str], list[Run]] = {}
        for run in self.all:
            self._runs.setdefault((run.scenario, run.algorithm), []).append(run)

    @property
    def scenarios(self) -> list[int]:
        """Returns the numbers of the scenarios."""
        return sorted({number for number, _ in self._runs})

    def algorithms(self, scenario: int) -> list[str]:
        """Returns the algorithms of a scenario."""
        return [algorithm for number, algorithm in self._runs if number == scenario]

    def of(self, scenario: int, algorithm: str) -> list[Run]:
        """Returns the runs of an algorithm in a scenario, one for each seed."""
        return self._runs[scenario, algorithm]

    def makespans(self, scenario: int) -> dict[str, float]:
        """Returns the mean makespan of each algorithm."""
        return {each: mean(run.makespan for run in self.of(scenario, each)) for each in self.algorithms(scenario)}

    def latencies(self, scenario: int) -> dict[str, float]:
        """Returns the mean job latency of each algorithm."""
        return {each: mean(run.latency for run in self.of(scenario, each)) for each in self.algorithms(scenario)}

    def spreads(self, scenario: int) -> list[float]:
        """Returns the longest ÷ the shortest makespan of each single workload."""
        by_seed: dict[int, list[float]] = {}
        for run in self.all:
            if run.scenario == scenario:
                by_seed.setdefault(run.seed, []).append(run.makespan)
        return [max(times) / min(times) for times in by_seed.values()]


def run_scenarios(
    context: StudyContext,
    scenarios: Sequence[Scenario],
    seeds: Sequence[int],
    chosen: Choices = CHOSEN,
    suffix: str = "",
) -> Runs:
    """Runs all algorithms of the scenarios on a workload for each seed; `suffix` is added to names of algorithms."""
    steps = [(scenario, seed) for scenario in scenarios for seed in seeds]
    tracked = context.track(steps, lambda step: f"scenario {step[0].label}, seed {step[1]}")
    return Runs(run for scenario, seed in tracked for run in run_scenario(context, scenario, seed, chosen, suffix))


def run_scenario(
    context: StudyContext, scenario: Scenario, seed: int, chosen: Choices = CHOSEN, suffix: str = ""
) -> Iterator[Run]:
    """Runs all algorithms of a scenario on the workload of a seed."""
    folder = context.runs / f"scenario-{scenario.number}{suffix}" / f"seed-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    results = run_experiment(
        cluster={"file": str(_write(folder / "nodes.json", {"cluster": nodes(chosen, scenario.change)}))},
        workload={"file": str(_write(folder / "workload.json", _workload(scenario, seed, chosen)))},
        execution="k8ssim",
        kubernetes_version=VERSION,
        schedulers=[f"{algorithm}{suffix}" for algorithm in scenario.algorithms],
        seeds=[seed],
        out=folder / "results",
        jobs=1 if context.small else context.jobs,  # starting processes takes longer than a small run
    )
    walls = json.loads((folder / "results" / "wall.json").read_text())
    for row in results.summary("rows"):
        name = row["scheduler"]
        yield Run(
            scenario.number,
            seed,
            name.removesuffix(suffix),
            row["makespan_s"],
            row["mean_job_latency_s"],
            row["unscheduled_pods"],
            walls["runs"][f"{name}/seed-{seed}"]["wall_s"],
        )


def _workload(scenario: Scenario, seed: int, chosen: Choices) -> Any:
    return (task_queue if scenario.queue == "tasks" else job_queue)(scenario.period, seed, chosen)


def _write(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document))
    return path.resolve()
