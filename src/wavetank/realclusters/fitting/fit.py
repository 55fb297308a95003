"""Fits a latency model to replays, and says by cross-validation how far simulations with it are off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment
from wavetank.experiments.recording import record
from wavetank.experiments.repeating import read_source
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.realclusters.fitting.distributions import by_quantiles
from wavetank.realclusters.fitting.steps import Steps, read_steps
from wavetank.realclusters.replay.manifests import Style
from wavetank.realclusters.replay.plan import make_plan
from wavetank.results.compare.accuracy import Pods, PodTimes, makespan, mean_wait, read_times, replay_facts
from wavetank.results.layout import SOURCE
from wavetank.results.read.runfolder import RunFolder, runs_in
from wavetank.results.recording.podrow import PodRow
from wavetank.simulation.latency.model import parse_latency
from wavetank.workloads.workload import Arrival, ObjectArrival, Workload, object_arrivals

Preset = dict[str, Any]


@dataclass(frozen=True)
class RealRun:
    """A replay: its pods, the experiment, and seconds of the workload per real second."""

    path: Path
    run: RunFolder
    pods: Pods
    experiment: Experiment
    speed: float

    @property
    def steps(self) -> Steps:
        """Returns how long the steps of its pods took."""
        return read_steps(self.pods, self._durations(), self.speed)

    def _durations(self) -> dict[str, float]:
        """Returns how long pods were to run, in seconds of the workload: those that the replay created itself."""
        plan = make_plan(self.experiment, self.run.seed or 0, Style("fit", "fit", "", self.speed))
        behaviors = {each.document["metadata"]["name"]: each.behavior for each in plan.creations}
        return {
            name: behavior.duration / SECOND + (behavior.work_time(1e9) if behavior.flops else 0.0)
            for name, behavior in behaviors.items()
            if behavior is not None and behavior.duration is not None
        }


@dataclass(frozen=True)
class Validation:
    """A real run beside simulations with a model that was fitted to the other runs; in seconds of the workload."""

    path: Path
    makespan: float
    simulated_makespan: float
    mean_wait: float
    simulated_mean_wait: float

    @property
    def makespan_error(self) -> float:
        """Returns by which share the simulated makespan is off."""
        return self.simulated_makespan / self.makespan - 1 if self.makespan else 0.0

    @property
    def wait_error(self) -> float:
        """Returns by which share the simulated mean wait is off."""
        return self.simulated_mean_wait / self.mean_wait - 1 if self.mean_wait else 0.0


def read_real(path: Path) -> RealRun:
    """Reads the results of a replay; InputError if there are none, or if they are of a simulation."""
    if not path.is_dir():
        raise InputError("no such folder", source=str(path))
    facts = replay_facts(path)
    if facts is None:
        raise InputError("these results are not of `wavetank replay`", source=str(path))
    (run,) = runs_in(path)
    return RealRun(path, run, read_times(run), read_source(path / SOURCE), facts.speed)


def fit_preset(runs: Sequence[RealRun], speed: float = 1.0) -> Preset:
    """Returns a latency model as a document writes it, in seconds of a workload at this speed."""
    steps = reduce(add, (run.steps for run in runs))
    samples = {"attempt": steps.attempt, "bind": steps.bind, "start": steps.start, "finish": steps.finish}
    return {name: by_quantiles([value * speed for value in values]) for name, values in samples.items()}


def cross_validate(runs: Sequence[RealRun], seeds: Sequence[int]) -> list[Validation]:
    """Simulates each run with a model that is fitted to the others; with a single run, to that one itself."""
    found = []
    for run in runs:
        others = [other for other in runs if other is not run] or [run]
        found.append(validate(run, fit_preset(others, run.speed), seeds))
    return found


def validate(run: RealRun, preset: Preset, seeds: Sequence[int]) -> Validation:
    """Simulates the experiment of a real run with a latency model, with the first scheduler of the experiment."""
    workload = _SameWorkload(run.experiment.workload, run.run.seed or 0)
    experiment = replace(run.experiment, latency=parse_latency(preset, "preset"), workload=workload)
    setting = experiment.setting(experiment.schedulers[0])
    simulated = [_times(record(setting, seed).rows) for seed in seeds]
    return Validation(
        run.path,
        makespan(run.pods),
        sum(map(makespan, simulated)) / len(simulated),
        mean_wait(run.pods),
        sum(map(mean_wait, simulated)) / len(simulated),
    )


class _SameWorkload:
    """A workload as it was under one seed, so that only latencies and ties are drawn by others."""

    def __init__(self, workload: Workload, seed: int) -> None:
        self.description = workload.description
        self._workload = workload
        self._seed = seed

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods, for any seed the same."""
        return self._workload.arrivals(specs, Streams(self._seed))

    def object_arrivals(
        self, specs: SpecTable, streams: Streams, kinds: Collection[str]
    ) -> Iterator[Arrival | ObjectArrival]:
        """Yields pods and objects, for any seed the same."""
        return object_arrivals(self._workload, specs, Streams(self._seed), kinds)


def _times(rows: Sequence[PodRow]) -> Pods:
    return {f"{row.namespace}/{row.name}": _pod_times(row) for row in rows}


def _pod_times(row: PodRow) -> PodTimes:
    times = (row.submitted, row.scheduled, row.started, row.finished)
    seconds = [float("nan") if time is None else time / SECOND for time in times]
    return PodTimes(row.job.id if row.job else row.name, row.node, *seconds)
