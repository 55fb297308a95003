"""Makes all runs of an experiment, in parallel on the machine's cores, and writes their results."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wavetank.errors import SchedulerError
from wavetank.experiments.document.experiment import Experiment
from wavetank.experiments.repeating import write_source
from wavetank.experiments.run import RunFailure, RunPlan, RunResult, Tables, try_run
from wavetank.experiments.summary import write_summary
from wavetank.kernel.garbage import rare_collections
from wavetank.results.layout import run_folder
from wavetank.results.write.outfolder import check_out, written_whole

if TYPE_CHECKING:
    from wavetank.results.attempts.format import Keep


class FailedRunsError(SchedulerError):
    """Schedulers have failed in some of the runs; the results of the others are in their place."""

    def __init__(self, failures: Sequence[RunFailure], results: Sequence[RunResult]) -> None:
        runs: dict[str, list[str]] = {}
        for failure in failures:
            runs.setdefault(str(failure.error), []).append(failure.label)
        super().__init__("; ".join(f"{', '.join(labels)}: {error}" for error, labels in runs.items()))
        self.failures = failures
        self.results = results


class Progress(Protocol):
    """An observer of the progress of runs."""

    def update(self, done: Sequence[RunResult], total: int, finished_pods: int) -> None:
        """Reports the runs that are done, the number of all runs, and the pods that have finished."""
        ...


def run_experiment(
    experiment: Experiment,
    out: Path,
    wavetank_version: str,
    progress: Progress | None = None,
    jobs: int | None = None,
    finish: Callable[[Path, Tables], object] | None = None,
    keep: Keep | None = None,
) -> list[RunResult]:
    """Makes all runs and leaves their results in the folder `out`, whole or not at all.

    `out` may be the results of an earlier experiment, which are replaced; any other folder with something in it is
    refused. `jobs` is how many runs are made at a time: by default as many as there are cores. `finish` may add to
    the results before they are put in place; it is also given the table of the pods, if there is one run only.
    `keep` is how much of the scheduling attempts is recorded, for `wavetank explain`: nothing, the best nodes of each,
    or all. FailedRunsError, when all is done, if schedulers have failed; if all runs have, there are no results.
    """
    check_out(out)
    begun = time.perf_counter()
    with rare_collections(), written_whole(out) as folder:
        plans = [
            RunPlan(
                scheduler=entry.name,
                seed=seed,
                setting=experiment.setting(entry),
                folder=run_folder(folder, entry.name, seed),
                wavetank_version=wavetank_version,
                keep=keep,
            )
            for entry in experiment.schedulers
            for seed in experiment.seeds
        ]
        tables: Tables = {}
        made = _make_runs(plans, jobs or _cores(), progress, tables)
        results, failures = succeeded(made), [each for each in made if isinstance(each, RunFailure)]
        if not results:
            raise FailedRunsError(failures, results)
        _remove_empty(folder)
        warnings = [failure.warning for failure in failures]
        write_summary(experiment, results, folder, wavetank_version, time.perf_counter() - begun, warnings)
        if keep is not None:
            write_source(experiment, folder)
        if finish is not None:
            finish(folder, tables)
    if failures:
        raise FailedRunsError(failures, results)
    return results


def _remove_empty(folder: Path) -> None:
    """Removes the folders of schedulers of which no run was made."""
    for child in folder.iterdir():
        if child.is_dir() and not any(child.iterdir()):
            child.rmdir()


def succeeded(made: Sequence[RunResult | RunFailure]) -> list[RunResult]:
    """Returns the outcomes of the runs that have not failed."""
    return [each for each in made if isinstance(each, RunResult)]


def _cores() -> int:
    """Returns the cores that this process may use, which in a container are fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _make_runs(
    plans: Sequence[RunPlan], jobs: int, progress: Progress | None, tables: Tables
) -> list[RunResult | RunFailure]:
    jobs = min(jobs, len(plans))
    if jobs > 1 and can_travel(plans):
        from wavetank.experiments.workers import make_in_parallel  # a single run needs no other processes

        return make_in_parallel(plans, jobs, progress)
    made: list[RunResult | RunFailure] = []
    for plan in plans:
        results = succeeded(made)
        finished = sum(result.finished_pods for result in results)
        kept = tables if len(plans) == 1 else None  # those of many would fill the memory
        made.append(try_run(plan, _teller(progress, results, len(plans), finished), kept))
        if progress is not None:
            results = succeeded(made)
            progress.update(results, len(plans), sum(result.finished_pods for result in results))
    return made


def _teller(
    progress: Progress | None, results: list[RunResult], total: int, finished: int
) -> Callable[[int], None] | None:
    if progress is None:
        return None
    return lambda pods: progress.update(results, total, finished + pods)


def can_travel(plans: Sequence[RunPlan]) -> bool:
    """Tells whether other processes can make these runs."""
    if not all(scheduler.is_portable() for plan in plans for scheduler in plan.setting.schedulers):
        return False
    try:
        pickle.dumps(plans[0])
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
