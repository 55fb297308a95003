from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from wavetank.experiments.run import RunResult
from wavetank.experiments.runner import Progress as Listener

if TYPE_CHECKING:
    from rich.progress import Progress

_PLAIN_EVERY_S = 5.0


@contextmanager
def showing_progress(console: Console) -> Iterator[Listener]:
    """Shows progress: a bar in a terminal, a plain line now and then elsewhere."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs · {task.fields[pods]} pods"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar)


class _Bar:
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("simulating", pods="0", total=None)

    def update(self, done: Sequence[RunResult], total: int, finished_pods: int) -> None:
        self._bar.update(self._task, completed=len(done), total=total, pods=f"{finished_pods:,}")


class _Lines:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = time.monotonic()
        self._runs = 0

    def update(self, done: Sequence[RunResult], total: int, finished_pods: int) -> None:
        now = time.monotonic()
        if len(done) == self._runs and now - self._last < _PLAIN_EVERY_S:
            return
        self._last, self._runs = now, len(done)
        self._console.print(f"{len(done)}/{total} runs, {finished_pods} pods finished", highlight=False)
