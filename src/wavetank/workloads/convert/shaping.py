"""What makes a small workload of a long trace: a period of it, shorter run times, smaller requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.workloads.formats.swf.workload import SwfWorkload
from wavetank.workloads.records import Record, Records
from wavetank.workloads.tables.jobtable import Integers
from wavetank.workloads.workload import Workload


class Usage(NamedTuple):
    """How a trace used its machine: when each job began and ended, how much it held, and the machine's size.

    Times are in nanoseconds; amounts are in one unit, whichever it is.
    """

    starts: Integers
    ends: Integers
    amounts: Integers
    capacity: int


class Period(NamedTuple):
    """A part of a trace, and the share of the machine that was in use on average in it."""

    begin: Nanoseconds
    length: Nanoseconds
    utilization: float


def usage_of(workload: Workload, records: Records, capacity: int | None = None) -> Usage:
    """Returns how a trace used its machine, of `capacity` CPUs.

    Of an SWF file that is what it says itself: jobs began after their recorded wait, and the machine has MaxProcs
    processors. Of others, each job begins when it is submitted, and the machine is as large as the most that runs
    at a time.
    """
    if isinstance(workload, SwfWorkload):
        starts, ends, amounts = workload.usage()
        return Usage(starts, ends, amounts, capacity or workload.processors or _peak(starts, ends, amounts))
    if next(records(), None) is None:
        raise InputError("the workload is empty")
    jobs = [
        (record.time, record.behavior.duration or 0, record.size * record.requests.get(CPU, 0)) for record in records()
    ]
    starts, durations, amounts = (np.array(column, np.int64) for column in zip(*jobs, strict=True))
    peak = _peak(starts, starts + durations, amounts)
    return Usage(starts, starts + durations, amounts, capacity * 1000 if capacity else peak)


def find_period(records: Records, usage: Usage, length: Nanoseconds, target: float | None) -> Period:
    """Returns the period of that length whose average utilisation is closest to `target`, the first of equals.

    As evalys does it, the utilisation of a period is what ran in it, whenever it was submitted, over what the
    machine could have run. A period begins with the submission of a job and lies wholly inside the trace. Without
    a target it is the first.
    """
    if length <= 0:
        raise InputError("a period must be longer than 0 s")
    begins = np.unique(np.fromiter((record.time for record in records()), np.int64))
    last = max(int(usage.ends.max(initial=0)), int(begins.max(initial=0)))
    begins = begins[begins + length <= last]
    if not len(begins):
        raise InputError(f"the trace is shorter than a period of {format_seconds(length)} s")
    times, area = _cumulated(usage)
    used = (np.interp(begins + length, times, area) - np.interp(begins, times, area)) / (length * usage.capacity)
    best = 0 if target is None else int(np.argmin(np.abs(used - target)))
    return Period(int(begins[best]), length, float(used[best]))


def of_period(records: Records, period: Period) -> Records:
    """Keeps the jobs that are submitted in the period, which then begins at 0."""

    def kept() -> Iterator[Record]:
        for record in records():
            if period.begin <= record.time < period.begin + period.length:
                yield replace(record, time=record.time - period.begin)

    return kept


def trimmed(records: Records, longest: Nanoseconds) -> Records:
    """Lets no job run longer than `longest`."""

    def trim(record: Record) -> Record:
        duration = record.behavior.duration
        if duration is not None and duration <= longest:
            return record
        return replace(record, behavior=replace(record.behavior, duration=longest))

    return lambda: map(trim, records())


def normalized(records: Records, milli: int) -> Records:
    """Makes one pod of each job and scales their CPU, and memory with it, so that the largest requests `milli`.

    As with Batkube's converter, no job requests less than a thousandth of a core.
    """
    largest = max((record.size * record.requests.get(CPU, 0) for record in records()), default=0) or 1

    def normalize(record: Record) -> Record:
        totals = {resource: record.size * amount for resource, amount in record.requests.items()}
        scaled = {name: -(-amount * milli // largest) for name, amount in totals.items() if name == MEMORY}
        cpu = max(1, round(totals.get(CPU, 0) * milli / largest))
        job = None if record.behavior.job is None else replace(record.behavior.job, size=1)
        return replace(
            record, size=1, requests={**totals, **scaled, CPU: cpu}, behavior=replace(record.behavior, job=job)
        )

    return lambda: map(normalize, records())


def _cumulated(usage: Usage) -> tuple[Integers, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Returns instants, and the amount that was held until then times how long, which is linear in between."""
    times = np.concatenate((usage.starts, usage.ends))
    changes = np.concatenate((usage.amounts, -usage.amounts))
    order = np.argsort(times, kind="stable")
    held = np.cumsum(changes[order])[:-1]
    area = np.concatenate(([0.0], np.cumsum(held * np.diff(times[order]).astype(np.float64))))
    return times[order], area


def _peak(starts: Integers, ends: Integers, amounts: Integers) -> int:
    times = np.concatenate((ends, starts))  # jobs that end free their CPUs for those that begin at the same time
    changes = np.concatenate((-amounts, amounts))
    held = np.cumsum(changes[np.argsort(times, kind="stable")])
    return max(1, int(held.max(initial=1)))
