"""Makes the missing runs of a sweep, and writes the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Protocol

from wavetank.errors import InputError
from wavetank.experiments.run import RunFailure, RunPlan, RunResult
from wavetank.experiments.runner import FailedRunsError
from wavetank.experiments.summary import check_results, write_summary
from wavetank.files import writing_into
from wavetank.kernel.garbage import rare_collections
from wavetank.results.assertions import Finding
from wavetank.results.layout import RUNS, run_folder
from wavetank.sweeps.document import Scenario, Sweep
from wavetank.sweeps.executors import Executor
from wavetank.sweeps.keys import key_of
from wavetank.sweeps.runstore import RunStore, Task
from wavetank.sweeps.summary import write_sweep

_NEW = ".new"


class SweepProgress(Protocol):
    """Receives the progress of the runs."""

    def update(self, done: int, total: int) -> None:
        """Called with the number of finished runs and of all runs."""


def run_sweep(
    sweep: Sweep,
    out: Path,
    wavetank_version: str,
    executor: Executor,
    progress: SweepProgress | None = None,
    finish_scenario: Callable[[Path], object] | None = None,
    finish: Callable[[Path], object] | None = None,
) -> dict[str, list[RunResult]]:
    """Makes the runs and returns their results by scenario.

    Finished runs are kept in `out` by the hash of their inputs: an interrupted sweep continues, and a changed one
    makes only the affected runs. `finish_scenario` and `finish` may add to the results of each scenario and of all.
    FailedRunsError, after everything is written, if schedulers have failed.
    """
    _check_out(out)
    begun = time.perf_counter()
    store = RunStore(out / RUNS)
    tasks = _tasks(sweep, wavetank_version)
    with writing_into(out), store.opened(), rare_collections():
        failures = _make_all(store, tasks, executor, progress)
        made = {
            scenario.name: [store.result(task.key) for task in tasks[scenario.name] if store.has(task.key)]
            for scenario in sweep.scenarios
        }
        wall_s = time.perf_counter() - begun
        new = out / _NEW
        rmtree(new, ignore_errors=True)
        for scenario in sweep.scenarios:
            _assemble(scenario, tasks[scenario.name], made[scenario.name], store, new, wavetank_version)
            if finish_scenario is not None and made[scenario.name]:
                finish_scenario(new / scenario.name)
        write_sweep(sweep, made, new, wavetank_version, wall_s, [failure.warning for failure in failures])
        if finish is not None:
            finish(new)
        _put_in_place(new, out)
        store.forget_all_but({task.key for of in tasks.values() for task in of})
    if failures:
        raise FailedRunsError(failures, [result for results in made.values() for result in results])
    return made


def check_sweep(sweep: Sweep, made: Mapping[str, Sequence[RunResult]]) -> list[Finding]:
    """Returns the verdicts on the experiment's assertions in each scenario."""
    return [
        finding._replace(assertion=f"{scenario.name}: {finding.assertion}")
        for scenario in sweep.scenarios
        for finding in check_results(scenario.experiment.assertions, made[scenario.name])
    ]


def _tasks(sweep: Sweep, wavetank_version: str) -> dict[str, list[Task]]:
    return {
        scenario.name: [
            Task(
                key_of(scenario.digests[entry.name], seed, wavetank_version),
                RunPlan(entry.name, seed, scenario.experiment.setting(entry), Path(), wavetank_version),
            )
            for entry in scenario.experiment.schedulers
            for seed in scenario.experiment.seeds
        ]
        for scenario in sweep.scenarios
    }


def _make_all(
    store: RunStore, tasks: dict[str, list[Task]], executor: Executor, progress: SweepProgress | None
) -> list[RunFailure]:
    """Makes the missing runs, each once."""
    all_tasks = {task.key: task for of in tasks.values() for task in of}
    missing = [task for key, task in all_tasks.items() if not store.has(key)]
    done = len(all_tasks) - len(missing)
    failures: dict[str, RunFailure] = {}
    if progress is not None:
        progress.update(done, len(all_tasks))
    for task, made in executor(store, missing):
        done += 1
        if isinstance(made, RunFailure):
            failures[task.key] = made
        if progress is not None:
            progress.update(done, len(all_tasks))
    return [failures[task.key] for task in missing if task.key in failures]


def _assemble(
    scenario: Scenario, tasks: Sequence[Task], results: Sequence[RunResult], store: RunStore, new: Path, version: str
) -> None:
    """Writes the results of a scenario, like those of an experiment."""
    folder = new / scenario.name
    folder.mkdir(parents=True)
    for task in tasks:
        if store.has(task.key):
            store.link(task.key, run_folder(folder, task.plan.scheduler, task.plan.seed))
    if results:
        write_summary(scenario.experiment, results, folder, version, sum(result.wall_s for result in results))


def _put_in_place(new: Path, out: Path) -> None:
    for path in out.iterdir():
        if path.name not in (RUNS, _NEW):
            rmtree(path) if path.is_dir() else path.unlink()
    for path in sorted(new.iterdir()):
        path.rename(out / path.name)
    new.rmdir()


def _check_out(out: Path) -> None:
    """Raises InputError if `out` has other contents: only an earlier sweep is replaced."""
    if out.exists() and not out.is_dir():
        raise InputError("is a file: expected a folder for the results", source=str(out))
    if out.is_dir() and any(out.iterdir()) and not (out / RUNS).is_dir():
        raise InputError("is a folder with something else in it: choose another for the results", source=str(out))
