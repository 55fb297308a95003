"""Executor of runs: a Ray cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from wavetank.errors import InputError
from wavetank.sweeps.executors import Executor, Made
from wavetank.sweeps.runstore import RunStore, Task

_RETRIES = 5  # of a run after the death of its worker


def on_ray(address: str | None = None) -> Executor:
    """Returns an executor on a Ray cluster, by default one on this machine; all its machines must share the folder.

    The run of a worker that dies is repeated.
    """
    try:
        import ray
    except ImportError:
        raise InputError("this needs Ray: pip install 'wavetank[ray]'", path="--executor") from None

    def execute(store: RunStore, tasks: Sequence[Task]) -> Iterator[Made]:
        began = not ray.is_initialized()
        if began:
            ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        try:
            yield from _execute(ray, store, tasks)
        finally:
            if began:
                ray.shutdown()

    return execute


def _execute(ray: Any, store: RunStore, tasks: Sequence[Task]) -> Iterator[Made]:
    make = ray.remote(max_retries=_RETRIES, num_cpus=1)(_make)
    waiting = {make.remote(store, task): task for task in tasks}
    while waiting:
        done, _ = ray.wait(list(waiting), num_returns=1)
        for reference in done:
            yield waiting.pop(reference), ray.get(reference)


def _make(store: RunStore, task: Task) -> Any:
    return store.make(task)
