"""How far a simulation is from a real run: makespan, waits, placement, and job by job."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, quantiles
from typing import NamedTuple

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.results import layout
from wavetank.results.columns.decimals import NEVER
from wavetank.results.facts import ExperimentFacts, ReplayFacts, read_facts
from wavetank.results.layout import results_of
from wavetank.results.read.pods import ReadPods
from wavetank.results.read.runfolder import RunFolder, runs_in


class PodTimes(NamedTuple):
    """A pod of a run: its job, node and times in seconds; NaN for what did not happen."""

    job: str
    node: str
    submitted: float
    scheduled: float
    started: float
    finished: float

    @property
    def wait(self) -> float:
        """Returns how long it was pending."""
        return self.scheduled - self.submitted


Pods = dict[str, PodTimes]


class Measure(NamedTuple):
    """A quantity of both sides in seconds, each the mean over its runs."""

    label: str
    real: float
    simulated: float

    @property
    def error(self) -> float | None:
        """Returns by which share of the real value the simulated one is off; None if the real one is 0."""
        return self.simulated / self.real - 1 if self.real else None


class JobError(NamedTuple):
    """A job of both sides, in seconds: how long it waited, and from its submission to its end."""

    job: str
    real_wait: float
    simulated_wait: float
    real_turnaround: float
    simulated_turnaround: float

    @property
    def off(self) -> float:
        """Returns by how many seconds its turnaround is off."""
        return self.simulated_turnaround - self.real_turnaround


@dataclass(frozen=True)
class Accuracy:
    """A simulation beside a real run.

    `same_node` is the share of pods on the same node, `moved` the share that would have to move for all nodes to have
    as many pods as in the real run. Jobs stand in the order of their error, the largest first. `curves` are the times
    at which pods finished, real runs first.
    """

    real: tuple[RunFolder, ...]
    simulated: tuple[RunFolder, ...]
    measures: tuple[Measure, ...]
    matched: int
    only_real: int
    only_simulated: int
    same_node: float
    moved: float
    jobs: tuple[JobError, ...]
    real_finished: tuple[tuple[float, ...], ...]
    simulated_finished: tuple[tuple[float, ...], ...]


def replay_facts(path: Path) -> ReplayFacts | None:
    """Returns where results were replayed; None if they are of a simulation."""
    folder = results_of(path.resolve()) if (path / layout.PODS).is_file() else path
    if not (folder / layout.EXPERIMENT).is_file():
        return None
    found = read_facts(folder / layout.EXPERIMENT, ExperimentFacts).replay
    return found if isinstance(found, ReplayFacts) else None


def measure_accuracy(real: Sequence[Path], simulated: Path, scheduler: str | None = None) -> Accuracy:
    """Compares real runs of one experiment with its simulation; `scheduler` is the one of the simulation."""
    reals = [run for path in real for run in runs_in(path)]
    found = [run for run in runs_in(simulated) if scheduler in (None, run.scheduler)]
    names = sorted({run.scheduler for run in found})
    if len(names) != 1:
        known = ", ".join(sorted({run.scheduler for run in runs_in(simulated)}))
        raise InputError(f"expected one scheduler, choose it with --scheduler-b: {known}", source=str(simulated))
    return compare_pods(reals, [read_times(run) for run in reals], found, [read_times(run) for run in found])


def read_times(run: RunFolder) -> Pods:
    """Reads the pods of a run by name; of another namespace than default, as a replay would call them."""
    pods = ReadPods(run.path)
    times = zip(
        *(_seconds(each) for each in (pods.submitted, pods.scheduled, pods.started, pods.finished)), strict=True
    )
    nodes, spaces = pods.node.each(str).tolist(), pods.namespace.each(str).tolist()
    is_real = replay_facts(run.path) is not None
    rows = zip(spaces, pods.names, pods.job_ids, nodes, times, strict=True)
    return {
        (name if is_real or space == "default" else f"{space}-{name}"): PodTimes(job, node, *each)
        for space, name, job, node, each in rows
    }


def compare_pods(
    real_runs: Sequence[RunFolder], real: Sequence[Pods], simulated_runs: Sequence[RunFolder], simulated: Sequence[Pods]
) -> Accuracy:
    """Compares the pods of real and simulated runs."""
    both = set.intersection(*(set(pods) for pods in (*real, *simulated)))
    if not both:
        raise InputError("no pod of the real run is in the simulation: are they of the same experiment?")
    first, other = real[0], simulated[0]
    pairs = [(one, two) for one in real for two in simulated]
    return Accuracy(
        tuple(real_runs),
        tuple(simulated_runs),
        tuple(_measures(real, simulated)),
        len(both),
        len(first.keys() - other.keys()),
        len(other.keys() - first.keys()),
        fmean(fmean(one[name].node == two[name].node for name in both) for one, two in pairs),
        fmean(_moved(one, two, both) for one, two in pairs),
        tuple(sorted(_jobs(real, simulated), key=lambda job: -abs(job.off))),
        tuple(_ends(pods) for pods in real),
        tuple(_ends(pods) for pods in simulated),
    )


def _measures(real: Sequence[Pods], simulated: Sequence[Pods]) -> Iterable[Measure]:
    for label, figure in _FIGURES.items():
        yield Measure(label, fmean(map(figure, real)), fmean(map(figure, simulated)))


def makespan(pods: Pods) -> float:
    """Returns the time from the first submission to the last end, in seconds."""
    ends = [pod.finished for pod in pods.values() if pod.finished == pod.finished]
    return max(ends, default=0.0) - min(pod.submitted for pod in pods.values())


def mean_wait(pods: Pods) -> float:
    """Returns the mean time that pods were pending, of those that found a node."""
    return fmean(_waits(pods) or [0.0])


def _waits(pods: Pods) -> list[float]:
    return [pod.wait for pod in pods.values() if pod.wait == pod.wait]


def _late_wait(pods: Pods) -> float:
    waits = _waits(pods)
    return quantiles(waits, n=20, method="inclusive")[-1] if len(waits) > 1 else mean_wait(pods)


def _start(pods: Pods) -> float:
    delays = [pod.started - pod.scheduled for pod in pods.values()]
    return fmean([delay for delay in delays if delay == delay] or [0.0])


def _turnaround(pods: Pods) -> float:
    times = [pod.finished - pod.submitted for pod in pods.values()]
    return fmean([time for time in times if time == time] or [0.0])


_FIGURES = {
    "makespan": makespan,
    "mean wait": mean_wait,
    "95th percentile of waits": _late_wait,
    "mean time from binding to start": _start,
    "mean turnaround": _turnaround,
}


def _moved(real: Pods, simulated: Pods, names: Iterable[str]) -> float:
    before = Counter(real[name].node for name in names)
    after = Counter(simulated[name].node for name in names)
    return sum((before - after).values()) / before.total()


def _jobs(real: Sequence[Pods], simulated: Sequence[Pods]) -> Iterable[JobError]:
    sides = [[_by_job(pods) for pods in side] for side in (real, simulated)]
    for job in sides[0][0]:
        if all(job in found for side in sides for found in side):
            (wait, turnaround), (other_wait, other) = (
                (fmean(found[job][0] for found in side), fmean(found[job][1] for found in side)) for side in sides
            )
            if turnaround == turnaround and other == other:
                yield JobError(job, wait, other_wait, turnaround, other)


def _by_job(pods: Pods) -> dict[str, tuple[float, float]]:
    """Returns wait and turnaround of each job: until its first pod is bound, and until its last one ends."""
    parts: defaultdict[str, list[PodTimes]] = defaultdict(list)
    for pod in pods.values():
        parts[pod.job].append(pod)
    return {job: _job_times(each) for job, each in parts.items()}


def _job_times(pods: Sequence[PodTimes]) -> tuple[float, float]:
    submitted = min(pod.submitted for pod in pods)
    return min(pod.scheduled for pod in pods) - submitted, max(pod.finished for pod in pods) - submitted


def _ends(pods: Pods) -> tuple[float, ...]:
    return tuple(sorted(pod.finished for pod in pods.values() if pod.finished == pod.finished))


def _seconds(times: Iterable[int]) -> list[float]:
    return [float("nan") if time == NEVER else int(time) / SECOND for time in times]
