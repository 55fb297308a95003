"""Makes runs in other processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.sharedctypes import SynchronizedArray
from types import ModuleType

from wavetank.errors import WavetankError
from wavetank.experiments.run import RunFailure, RunPlan, RunResult, try_run
from wavetank.experiments.runner import Progress, succeeded
from wavetank.kernel.lifetime import begin_worker, work

_GRACE_S = 5.0  # for a worker to end its programs and to remove its files

_counts: SynchronizedArray[int] | None = None


def _begin(parent: int, counts: SynchronizedArray[int]) -> None:
    global _counts  # a pool hands shared memory over only like this
    begin_worker(parent)
    _counts = counts


def _make_run_there(index: int, plan: RunPlan) -> RunResult | RunFailure:
    def tell(pods: int) -> None:
        assert _counts is not None
        _counts[index] = pods

    return try_run(plan, tell)


def make_in_parallel(plans: Sequence[RunPlan], jobs: int, progress: Progress | None) -> list[RunResult | RunFailure]:
    """Makes so many runs at a time, each in a process of its own."""
    context = multiprocessing.get_context("spawn")
    counts: SynchronizedArray[int] = context.Array("q", len(plans))
    pool = ProcessPoolExecutor(jobs, context, _begin, (os.getpid(), counts))
    try:
        with independent_children():
            futures = [pool.submit(work, _make_run_there, i, plan) for i, plan in enumerate(plans)]
        _follow(futures, counts, progress)
        return [future.result() for future in futures]
    except BrokenProcessPool:
        likely = "there is too little memory, or it cannot import a policy"
        raise WavetankError(f"a process that made a run has died ({likely}): try one job at a time") from None
    except BaseException:
        stop_workers(pool)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def independent_children() -> Iterator[None]:
    """Lets processes begin that do not run the user's script once more, and that leave Ctrl-C to this one."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        sys.modules["__main__"] = script
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _follow(
    futures: Sequence[Future[RunResult | RunFailure]], counts: SynchronizedArray[int], progress: Progress | None
) -> None:
    """Reports until all are done; the first error is raised at once, but for schedulers that fail."""
    waiting = set(futures)
    while waiting:
        _, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
        done = succeeded([future.result() for future in futures if future.done()])
        running = sum(pods for pods, future in zip(counts[:], futures, strict=True) if not future.done())
        if progress is not None:
            progress.update(done, len(futures), running + sum(result.finished_pods for result in done))


def stop_workers(pool: ProcessPoolExecutor) -> None:
    """Ends the workers now, since their results are no longer needed; those that do not obey are killed."""
    processes = list((pool._processes or {}).values())
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_GRACE_S)
        process.kill()
