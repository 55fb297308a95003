"""Executor of runs: processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack

from wavetank.errors import WavetankError
from wavetank.experiments.run import RunFailure, RunResult
from wavetank.experiments.runner import can_travel
from wavetank.experiments.workers import independent_children, stop_workers
from wavetank.kernel.lifetime import begin_worker, work
from wavetank.sweeps.runstore import RunStore, Task

Made = tuple[Task, RunResult | RunFailure]
Executor = Callable[[RunStore, Sequence[Task]], Iterator[Made]]


def on_this_machine(jobs: int) -> Executor:
    """Returns an executor of `jobs` runs at a time, each in its own process if there are several."""

    def execute(store: RunStore, tasks: Sequence[Task]) -> Iterator[Made]:
        processes = min(jobs, len(tasks))
        if processes > 1 and can_travel([task.plan for task in tasks]):
            yield from _in_processes(store, tasks, processes)
        else:
            yield from ((task, store.make(task)) for task in tasks)

    return execute


def _in_processes(store: RunStore, tasks: Sequence[Task], processes: int) -> Iterator[Made]:
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), begin_worker, (os.getpid(),))
    with ExitStack() as stack:
        stack.callback(pool.shutdown, cancel_futures=True)
        try:
            with independent_children():
                futures = {pool.submit(work, store.make, task): task for task in tasks}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BrokenProcessPool:
            kept = "finished runs are kept: run the same command again to continue"
            raise WavetankError(f"a process that made a run has died; {kept}") from None
        except BaseException:
            stop_workers(pool)
            raise
