from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import numpy as np

from wavetank.errors import SchedulerError
from wavetank.experiments.recording import make_recorder, service_observer
from wavetank.experiments.runfiles import write_files
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.kernel.garbage import rare_collections
from wavetank.loop.errors import ProcessError
from wavetank.results.columns.decimals import Integers
from wavetank.results.layout import ATTEMPTS, run_label
from wavetank.results.metrics.gpus import GpuFigures, gpu_figures
from wavetank.results.metrics.metrics import measure
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.schema import QUANTILES, Metrics
from wavetank.simulation.simulation import Setting, Simulation
from wavetank.workloads.generators.inflation import known_pods

if TYPE_CHECKING:
    from wavetank.results.attempts.format import Keep
    from wavetank.results.attempts.recorder import AttemptRecorder
    from wavetank.results.metrics.energy import EnergyFigures
    from wavetank.results.recording.energy import EnergyRecorder
    from wavetank.simulation.batchoperator import BatchObserver
    from wavetank.simulation.microservices import ServiceObserver

Tables = dict[str, PodTable]  # of runs just made, by their labels


@dataclass(frozen=True)
class RunPlan:
    """One run to make: a scheduler under a seed, with the folder its files go to.

    `keep` is how much of its scheduling attempts is recorded, None for nothing.
    """

    scheduler: str
    seed: int
    setting: Setting
    folder: Path
    wavetank_version: str
    keep: Keep | None = None

    @property
    def label(self) -> str:
        """Returns what the run is called in progress and wall.json."""
        return run_label(self.scheduler, self.seed)


@dataclass(frozen=True)
class RunResult:
    """The outcome of a run; `wall_s` is how long the simulation took in real time.

    `latencies` are the QUANTILES of job latency in seconds; none if no job has ended.
    """

    scheduler: str
    seed: int
    metrics: Metrics
    latencies: tuple[float, ...]
    warnings: tuple[str, ...]
    attempts: int | None  # None: not known, as on a real cluster
    wall_s: float

    @property
    def finished_pods(self) -> int:
        """Returns how many pods came to their end."""
        return self.metrics.succeeded_pods + self.metrics.failed_pods


@dataclass(frozen=True)
class RunFailure:
    """A run that its scheduler has brought to an end: a program in the loop, or a policy."""

    label: str
    error: SchedulerError

    @property
    def warning(self) -> str:
        """Says so, without the program's log, which is another in every run."""
        if isinstance(self.error, ProcessError):
            return f"{self.label} failed: scheduler {self.error.name} {self.error.problem}"
        return f"{self.label} failed: {self.error}"


def try_run(
    plan: RunPlan, tell: Callable[[int], None] | None = None, tables: Tables | None = None
) -> RunResult | RunFailure:
    """Makes a run; if its scheduler fails that is the result, and nothing is left in the run's place."""
    try:
        return make_run(plan, tell, tables)
    except SchedulerError as error:
        rmtree(plan.folder)
        return RunFailure(plan.label, error)


def make_run(plan: RunPlan, tell: Callable[[int], None] | None = None, tables: Tables | None = None) -> RunResult:
    """Simulates one run and writes its files; its table is put among the `tables`, if they are given."""
    plan.folder.mkdir(parents=True)
    with rare_collections():
        begun = time.perf_counter()
        with _recording(plan) as explain:
            recorder = make_recorder(plan.setting, tell)
            requests = service_observer(plan.setting)
            batch = _batch_observer(plan)
            meter = _energy_recorder(plan)
            observers = tuple(each for each in (recorder, requests, batch, meter) if each is not None)
            simulation = Simulation(plan.setting, plan.seed, observers, explain)
            simulation.run()
        wall = time.perf_counter() - begun
        figures = write_files(recorder, plan.folder, plan.wavetank_version, meter)
        pods, jobs = figures.pods, figures.jobs
        if tables is not None:
            tables[plan.label] = pods
        if recorder.tasks is not None:
            from wavetank.results.write.k8ssim import write_k8ssim  # few runs need it

            write_k8ssim(recorder.tasks.rows.values(), plan.folder)
        energy = None if meter is None else _write_energy(meter, plan.folder)
        served: list[str] = []
        if requests is not None:
            _write_services(requests, recorder.end, plan.folder)
            served = [f"{plan.label}: {warning}" for warning in requests.services.warnings()]
        if batch is not None:
            _write_batch(batch, recorder.end, plan.folder)
        outside = (f"{plan.label}: {note}" for note in simulation.not_admitted)
        warnings = (*figures.warnings(plan.label), *outside, *served)
        services = requests.services if requests is not None else None
        latencies = jobs.turnaround if batch is None else np.array(batch.recorder.latencies, np.int64)
        gpus = _gpu_figures(pods, plan)
        metrics = measure(
            pods, jobs, gpus, figures.autoscalers, figures.nodes, services, energy, latencies, figures.queues
        )
        return RunResult(plan.scheduler, plan.seed, metrics, quantiles(latencies), warnings, simulation.attempts, wall)


def _write_services(requests: ServiceObserver, end: Nanoseconds, folder: Path) -> None:
    from wavetank.results.write.services.tables import write_services

    write_services(requests.services, end, folder)


def _energy_recorder(plan: RunPlan) -> EnergyRecorder | None:
    if not plan.setting.has_power:
        return None
    from wavetank.results.recording.energy import EnergyRecorder  # few runs need it

    return EnergyRecorder()


def _write_energy(recorder: EnergyRecorder, folder: Path) -> EnergyFigures:
    from wavetank.results.metrics.energy import energy_figures
    from wavetank.results.write.energy import write_energy

    figures = energy_figures(recorder)
    write_energy(figures, folder)
    return figures


def _batch_observer(plan: RunPlan) -> BatchObserver | None:
    if plan.setting.operator is None:
        return None
    from wavetank.simulation.batchoperator import BatchObserver  # few runs need it

    return BatchObserver()


def _write_batch(batch: BatchObserver, end: Nanoseconds, folder: Path) -> None:
    from wavetank.results.write.batchoperator import write_batch

    write_batch(batch.recorder, end, folder)


def quantiles(latencies: Integers) -> tuple[float, ...]:
    """Returns the QUANTILES of latencies in nanoseconds, in seconds; none if there are no latencies."""
    values = latencies / SECOND
    return tuple(round(float(each), 6) for each in np.percentile(values, QUANTILES)) if len(values) else ()


@contextmanager
def _recording(plan: RunPlan) -> Iterator[AttemptRecorder | None]:
    """Yields the recorder of scheduling attempts, if the plan has one."""
    if plan.keep is None:
        yield None
    else:
        from wavetank.results.attempts.recorder import AttemptRecorder  # few runs need it

        with closing(AttemptRecorder(plan.folder / ATTEMPTS, plan.keep)) as recorder:
            yield recorder


def _gpu_figures(pods: PodTable, plan: RunPlan) -> GpuFigures | None:
    gpus = pods.recorder.gpus
    return gpu_figures(gpus, pods, known_pods(plan.setting.workload, plan.seed)) if gpus is not None else None
