from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.workloads.convert.losses import Losses
from wavetank.workloads.formats.swf.workload import DONE, EXIT_CODES, FAILED
from wavetank.workloads.records import Record, Records

_UNKNOWN = -1
_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
_STATUSES = {code: status for status, code in EXIT_CODES.items()}


def write_swf(records: Records, path: Path, losses: Losses) -> int:
    """Writes SWF: a job's processors are its pods' CPUs, each rounded up; returns the number of jobs.

    Times are whole seconds, memory is in KB per processor. Jobs are numbered from 1, unless all have numbers.
    """
    survey = _survey(records)
    number = 0
    with path.open("w", encoding="ascii", newline="\n") as out:
        out.write(
            f"; Version: 2.2\n; Conversion: wavetank\n; MaxJobs: {survey.jobs}\n; MaxProcs: {survey.processors}\n"
        )
        for record in records():
            if not _is_expressible(record):
                forever = record.behavior.duration is None
                losses.left_out["pod that runs forever" if forever else "job whose time is not known"] += 1
                continue
            number += 1
            _count(record, losses, survey.numbered)
            fields = _fields(record, int(record.name) if survey.numbered else number)
            out.write(" ".join(map(str, fields)) + "\n")
    return number


class _Survey(NamedTuple):
    jobs: int
    processors: int
    numbered: bool


def _survey(records: Records) -> _Survey:
    jobs, processors, numbered = 0, 1, True
    for record in filter(_is_expressible, records()):
        jobs, processors = jobs + 1, max(processors, record.size * _processors(record))
        numbered = numbered and _NUMBER.fullmatch(record.name) is not None
    return _Survey(jobs, processors, numbered)


def _is_expressible(record: Record) -> bool:
    return record.behavior.duration is not None and not record.behavior.flops


def _processors(record: Record) -> int:
    return max(1, -(-record.requests.get(CPU, 0) // 1000))


def _fields(record: Record, number: int) -> list[int]:
    behavior, job = record.behavior, record.behavior.job
    assert behavior.duration is not None
    each = _processors(record)
    memory = record.requests.get(MEMORY)
    kilobytes = _UNKNOWN if memory is None else -(-memory // (1024 * each))
    limit = _UNKNOWN if job is None or job.walltime is None else _seconds(job.walltime)
    # cancelled without a run time would mean that the job never ran
    failed = _STATUSES.get(behavior.exit_code, FAILED) if _seconds(behavior.duration) else FAILED
    status = failed if behavior.exit_code else DONE
    size = record.size * each
    times = [number, _seconds(record.time), _UNKNOWN, _seconds(behavior.duration)]
    return [*times, size, _UNKNOWN, _UNKNOWN, size, limit, kilobytes, status, *[_UNKNOWN] * 7]


def _seconds(time: Nanoseconds) -> int:
    return round(time / SECOND)


def _count(record: Record, losses: Losses, numbered: bool) -> None:
    losses.count_spec(record)
    losses.count_identity(record)
    losses.count("name, replaced by a number", not numbered)
    losses.count("fraction of a second", record.time % SECOND or (record.behavior.duration or 0) % SECOND)
    losses.count("fraction of a CPU, rounded up", record.requests.get(CPU, 0) % 1000)
    losses.count("pod without a CPU request, taken as 1", not record.requests.get(CPU))
    losses.count("scheduler's name", record.pod.scheduler_name not in ("default", "default-scheduler"))
    for resource in record.requests.keys() - {CPU, MEMORY}:
        losses.count(f"request for {resource}", record.requests[resource])
