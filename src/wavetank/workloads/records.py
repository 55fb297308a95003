"""Workloads of any format as a sequence of jobs, for conversion, inspection and fitting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.workloads.workload import Arrival, Workload


@dataclass(frozen=True, slots=True)
class Record:
    """A job: `size` pods like `pod`, submitted at `time`, each asking for `requests` (milli-CPU, bytes, counts)."""

    name: str
    time: Nanoseconds
    size: int
    requests: Amounts
    behavior: PodBehavior
    pod: Pod


Records = Callable[[], Iterator[Record]]  # each call begins anew


def records_of(workload: Workload, seed: int = 1) -> Records:
    """Returns the jobs of a workload in the order of time; a pod that belongs to none is a job of its own."""

    def read() -> Iterator[Record]:
        for job, arrivals in groupby(workload.arrivals(SpecTable(), Streams(seed)), _job):
            if job is None or job.size == 1:
                yield from (_record(arrival, arrival.pod.name, 1) for arrival in arrivals)
            else:
                first = next(arrivals)
                yield _record(first, first.pod.name.removesuffix("-0"), 1 + sum(1 for _ in arrivals))

    return read


def _job(arrival: Arrival) -> Job | None:
    return arrival.pod.behavior.job if arrival.pod.behavior is not None else None


def _record(arrival: Arrival, name: str, size: int) -> Record:
    pod = arrival.pod
    return Record(name, arrival.time, size, pod.requests, pod.behavior or PodBehavior(None), pod)
