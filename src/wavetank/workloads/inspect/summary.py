"""What is in a file of jobs or of nodes, in a few numbers."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.objects import make_object
from wavetank.workloads.open import FORMATS, OpenedWorkload, format_of, open_workload
from wavetank.workloads.records import Record, records_of
from wavetank.workloads.tables.jobtable import Integers

BINS = 60  # of the arrival curve


@dataclass(frozen=True)
class Spread:
    """How a quantity is spread over pods; times are in seconds, CPU in cores, the rest in bytes and counts."""

    least: float
    median: float
    mean: float
    p95: float
    most: float


@dataclass(frozen=True)
class WorkloadSummary:
    """A workload in numbers: a job is what starts together, `arrivals` counts pods in equal parts of the span.

    `requests` are of the pods that make such a request, whose number is `requesting`; `durations` of those that end.
    Times are in seconds.
    """

    file: str
    format: str
    jobs: int
    pods: int
    first_arrival: float
    last_arrival: float
    endless: int
    durations: Spread | None
    sizes: Spread | None
    requests: dict[str, Spread]
    requesting: dict[str, int]
    schedulers: dict[str, int]
    arrivals: list[int]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of one capacity, in milli-CPU, bytes and counts."""

    nodes: int
    capacity: dict[str, int]


@dataclass(frozen=True)
class ClusterSummary:
    """A cluster in numbers: its nodes by their capacity, what all have together, and other objects by kind."""

    file: str
    format: str
    nodes: int
    groups: list[NodeGroup]
    total: dict[str, int]
    tainted: int
    objects: dict[str, int]


def summarize(path: Path, format: str | None = None, lenient: bool = False) -> WorkloadSummary | ClusterSummary:  # noqa: A002
    """Returns what is in a file, be it a workload or (part of) a cluster; a file with nodes is a cluster."""
    file = InputFile.read(path, lenient=lenient)
    name = format_of(file, format)
    manifests, no_cluster = _manifests(file, name)
    if any(manifest.get("kind") == Node.kind for manifest in manifests):
        return summarize_cluster(file.name, name, manifests)
    try:
        return summarize_workload(path.name, open_workload(path, name, lenient))
    except InputError as error:
        if no_cluster is None:
            return summarize_cluster(file.name, name, manifests)
        if FORMATS[name].cluster is None:
            raise
        if FORMATS[name].workload is None:
            raise no_cluster from None
        why = f"neither a workload ({error.message}) nor a cluster ({no_cluster.message})"
        raise InputError(why, path=error.path, source=file.source) from None


def _manifests(file: InputFile, name: str) -> tuple[Sequence[Manifest], InputError | None]:
    reader = FORMATS[name].cluster
    if reader is None:
        return (), InputError("no cluster")
    try:
        return reader(file), None
    except InputError as error:
        return (), error


def summarize_cluster(file: str, format: str, manifests: Sequence[Manifest]) -> ClusterSummary:  # noqa: A002
    """Returns what a cluster is made of."""
    specs = SpecTable()
    nodes = [node for manifest in manifests if isinstance(node := make_object(manifest, specs), Node)]
    groups = Counter(tuple(sorted(node.allocatable.items())) for node in nodes)
    total: Counter[str] = Counter()
    for node in nodes:
        total.update(node.allocatable)
    kinds = Counter(str(manifest.get("kind")) for manifest in manifests)
    del kinds[Node.kind]
    return ClusterSummary(
        file,
        format,
        len(nodes),
        [NodeGroup(number, dict(capacity)) for capacity, number in groups.most_common()],
        dict(total),
        sum(bool(node.taints) for node in nodes),
        dict(kinds),
    )


class _Columns:
    """The jobs of a workload, by columns of plain integers."""

    def __init__(self) -> None:
        self.times, self.sizes, self.durations = array("q"), array("q"), array("q")
        self.requests: dict[str, tuple[array[int], array[int]]] = defaultdict(lambda: (array("q"), array("q")))
        self.schedulers: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        """Adds a job."""
        self.times.append(record.time)
        self.sizes.append(record.size)
        self.durations.append(-1 if record.behavior.duration is None else record.behavior.duration)
        self.schedulers[record.pod.scheduler_name] += record.size
        for resource, amount in record.requests.items():
            amounts, pods = self.requests[resource]
            amounts.append(amount)
            pods.append(record.size)


def summarize_workload(file: str, workload: OpenedWorkload) -> WorkloadSummary:
    """Returns what a workload consists of; a million pods take a few dozen megabytes."""
    columns = _Columns()
    for record in records_of(workload)():
        columns.add(record)
    times, sizes, durations = (_integers(column) for column in (columns.times, columns.sizes, columns.durations))
    ends = durations >= 0
    return WorkloadSummary(
        file,
        workload.format,
        len(times),
        int(sizes.sum()),
        float(times.min(initial=times[0])) / SECOND if len(times) else 0.0,
        float(times.max(initial=0)) / SECOND,
        int(sizes[~ends].sum()),
        _spread(durations[ends], sizes[ends], SECOND),
        _spread(sizes, np.ones_like(sizes)),
        {name: spread for name, column in columns.requests.items() if (spread := _of_resource(name, *column))},
        {name: sum(pods) for name, (_, pods) in columns.requests.items()},
        dict(columns.schedulers.most_common()),
        _curve(times, sizes),
        workload.notes,
    )


def _integers(column: array[int]) -> Integers:
    return np.frombuffer(column, np.int64) if len(column) else np.empty(0, np.int64)


def _of_resource(name: str, amounts: array[int], pods: array[int]) -> Spread | None:
    return _spread(_integers(amounts), _integers(pods), 1000 if name == "cpu" else 1)


def _spread(values: Integers, weights: Integers, unit: int = 1) -> Spread | None:
    """Returns the spread of values that count as often as their weights say, in the given unit."""
    if not len(values):
        return None
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weights[order])
    least, median, p95, most = (
        float(values[order[np.searchsorted(upto, share * upto[-1])]]) / unit for share in (0, 0.5, 0.95, 1)
    )
    return Spread(least, median, float(np.average(values, weights=weights)) / unit, p95, most)


def _curve(times: Integers, sizes: Integers) -> list[int]:
    if not len(times):
        return []
    span = int(times.max() - times.min()) or 1
    bins = np.minimum((times - times.min()).astype(np.float64) / span * BINS, BINS - 1).astype(np.int64)
    return [int(pods) for pods in np.bincount(bins, weights=sizes, minlength=BINS)]
