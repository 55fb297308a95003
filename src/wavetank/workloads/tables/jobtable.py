"""Workloads that are tables: a row is a job, which is one pod or several that run together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.kernel.randomness import Streams
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.workload import Arrival

Integers = NDArray[np.int64]

NONE = -1  # in a column of times: forever, or no limit
WORKLOAD = "w0"  # Batsim's name of a first workload
_CONTAINER = {"name": "main", "image": "busybox", "imagePullPolicy": "IfNotPresent", "command": ["sleep"]}
_MOST_HELD = 2_000_000  # rows, at about a hundred bytes each besides their names
_ODD = 0x1E3779B97F4A7C15  # a factor that keeps a name and its namespace apart
_MOST_MODELS = 4096  # kept at a time: in some traces nearly every pod requests another amount


class Jobs(NamedTuple):
    """Some rows of a table, by columns; times are in nanoseconds.

    `lines` says where a row stands in its file, `asks` stands for what the pods of a row are like.
    """

    lines: Integers
    names: Sequence[str]
    namespaces: Sequence[str]
    times: Integers
    durations: Integers
    walltimes: Integers
    sizes: Integers
    exit_codes: Integers
    asks: Sequence[Hashable]


@dataclass(frozen=True)
class Kind:
    """What the pods of a row are like; requests are in milli-CPU, bytes and counts."""

    requests: Amounts
    scheduler: str = ""
    priority: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    selector: Mapping[str, str] = field(default_factory=dict)

    def model(self, specs: SpecTable) -> Pod:
        """Returns a pod to copy."""
        spec: dict[str, Any] = {"containers": [_CONTAINER], "restartPolicy": "Never"}
        more = {"schedulerName": self.scheduler, "priority": self.priority, "nodeSelector": dict(self.selector)}
        spec |= {key: value for key, value in more.items() if value is not None and value not in ("", {})}
        metadata = {"labels": dict(self.labels)} if self.labels else {}
        head = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
        return Pod(head, specs.intern(spec).asking(self.requests), name="model")


class TableWorkload:
    """The pods of a table, named like their row, `<row>-<rank>` if the row stands for several.

    The file is read a few thousand rows at a time, and checked. A table of more than a few million rows is not
    held in memory, unless it is not in the order of time: it is read again for the pods of a run. Unless it is one
    `of_jobs`, its rows are pods that belong to no job.
    """

    def __init__(
        self,
        file: InputFile,
        parts: Callable[[InputFile], Iterator[Jobs]],
        kind: Callable[[Any], Kind],
        of_jobs: bool = True,
    ) -> None:
        self._file = file
        self._of_jobs = of_jobs
        self._parts = parts
        self._kind = kind
        checked = _check(parts(file))
        self._held = checked.parts
        self._in_order = checked.in_order
        self._twins = frozenset(_refuse_twins(file, checked))
        self.jobs = checked.jobs - len(self._twins)
        if not self.jobs and file.first_error is not None:
            problem = f"every entry is left out, because none can be read; the first: {file.first_error}"
            raise InputError(problem, source=file.source)
        self.description = f"{self.jobs} {'jobs' if of_jobs else 'pods'} from {file.name}"

    def parts(self) -> Iterator[Jobs]:
        """Yields the rows in the order of time; what is left out of them was counted when the file was opened."""
        read = self._parts(self._file.again()) if self._held is None else self._held
        parts = (_without(part, self._twins) for part in read)
        return parts if self._in_order else _sorted(list(parts))

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time; the same for every seed."""

        @lru_cache(_MOST_MODELS)
        def model(ask: Hashable) -> Pod:
            return self._kind(ask).model(specs)

        for part in self.parts():
            columns = (part.times.tolist(), part.names, part.namespaces, part.sizes.tolist())
            behaviors, models = _behaviors(part, self._of_jobs), map(model, part.asks)
            for time, name, namespace, size, behavior, like in zip(*columns, behaviors, models, strict=True):
                for rank in range(size):
                    pod = like.copy()  # several times cheaper than a new one
                    pod.name = name if size == 1 else f"{name}-{rank}"
                    pod.namespace = namespace
                    pod.behavior = behavior
                    yield Arrival(time, pod)


def profile_name(duration: Nanoseconds | None, exit_code: int = 0) -> str:
    """Returns what a job that does nothing but take its time is called as a Batsim profile."""
    time = "forever" if duration is None else format_seconds(duration)
    return f"delay{time}" if exit_code == 0 else f"delay{time}-ret{exit_code}"


class _Checked(NamedTuple):
    """What is known of a table that was read; its `parts` are None if they are too many to be held."""

    jobs: int
    in_order: bool
    keys: Integers
    lines: Integers
    parts: list[Jobs] | None


def _check(parts: Iterator[Jobs]) -> _Checked:
    last, in_order = 0, True
    keys: list[Integers] = [np.empty(0, np.int64)]
    lines: list[Integers] = [np.empty(0, np.int64)]
    held: list[Jobs] = []
    rows = 0
    for part in parts:
        if not len(part.times):
            continue
        in_order = in_order and part.times[0] >= last and bool(np.all(part.times[1:] >= part.times[:-1]))
        last, rows = int(part.times[-1]), rows + len(part.times)
        of_part, of_lines = _keys(part)
        keys.append(of_part)
        lines.append(of_lines)
        held.append(part)
        if rows > _MOST_HELD:
            held.clear()
    return _Checked(rows, in_order, np.concatenate(keys), np.concatenate(lines), held if rows <= _MOST_HELD else None)


def _keys(part: Jobs) -> tuple[Integers, Integers]:
    """Returns hashes of what must be unique, and the line of each; ranks of numbered jobs cannot clash."""
    if part.sizes.max() == 1 or all(map(str.isdigit, part.names)):
        return _hashes(part.names) * _ODD ^ _hashes(part.namespaces), part.lines
    rows = zip(part.names, part.sizes.tolist(), strict=True)
    names = [name if size == 1 else f"{name}-{rank}" for name, size in rows for rank in range(size)]
    return _hashes(names) * _ODD ^ np.repeat(_hashes(part.namespaces), part.sizes), np.repeat(part.lines, part.sizes)


def _hashes(texts: Sequence[str]) -> Integers:
    return np.fromiter(map(hash, texts), np.int64, len(texts))


def _refuse_twins(file: InputFile, checked: _Checked) -> Iterator[int]:
    """Yields the lines that repeat a name; names are compared by their 64-bit hash, to hold few bytes of each."""
    ordered = np.sort(checked.keys)
    if not np.any(ordered[1:] == ordered[:-1]):
        return
    order = np.argsort(checked.keys, kind="stable")
    keys, lines = checked.keys[order], checked.lines[order]
    for i in np.flatnonzero(keys[1:] == keys[:-1]).tolist():
        why = f"makes a pod of the same name as line {lines[i]}: names must be unique"
        file.skip(InputError(why, path=f"line {lines[i + 1]}"), "a name that stands twice")
        yield int(lines[i + 1])


def _without(part: Jobs, lines: frozenset[int]) -> Jobs:
    if not lines:
        return part
    return _take(part, np.flatnonzero(~np.isin(part.lines, list(lines))))


def _sorted(parts: list[Jobs]) -> Iterator[Jobs]:
    whole = Jobs._make(
        np.concatenate(column) if isinstance(column[0], np.ndarray) else list(chain.from_iterable(column))
        for column in zip(*parts, strict=True)
    )
    yield _take(whole, np.argsort(whole.times, kind="stable"))


def _take(part: Jobs, rows: NDArray[np.intp]) -> Jobs:
    """Returns the given rows, in that order."""
    picked = rows.tolist()
    return Jobs._make(
        column[rows] if isinstance(column, np.ndarray) else [column[row] for row in picked] for column in part
    )


def _behaviors(part: Jobs, of_jobs: bool) -> Iterator[PodBehavior]:
    durations = [None if ticks == NONE else ticks for ticks in part.durations.tolist()]
    exit_codes = part.exit_codes.tolist()
    if not of_jobs:
        yield from map(PodBehavior, durations, exit_codes)
        return
    lists = (durations, exit_codes, part.sizes.tolist(), part.walltimes.tolist())
    for name, duration, exit_code, size, limit in zip(part.names, *lists, strict=True):
        walltime = None if limit == NONE else limit
        job = Job(name, WORKLOAD, profile_name(duration, exit_code), size, walltime)
        yield PodBehavior(duration, exit_code, job=job)
