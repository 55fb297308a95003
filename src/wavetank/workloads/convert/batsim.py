from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from wavetank.cluster.fields.resources import CPU, MEMORY, format_amounts
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.workloads.convert.losses import Losses
from wavetank.workloads.formats.batsim.workload import RUNS_SCHEDULER
from wavetank.workloads.records import Record, Records
from wavetank.workloads.tables.jobtable import profile_name

_DEFAULT_SCHEDULER = "default-scheduler"


def write_batsim(records: Records, path: Path, losses: Losses) -> int:
    """Writes a Batsim workload with Batkube's fields cpu, memory and scheduler; returns the number of jobs.

    Jobs that only take time have profiles named by it (`delay170`), so that equal ones share a profile.
    """
    profiles: dict[str, Any] = {}
    resources, number = 1, 0
    with path.open("wb") as out:
        out.write(b'{\n"jobs": [')
        for record in _expressible(records, losses):
            out.write(b",\n" if number else b"\n")
            out.write(msgspec.json.encode(_job(record, _add_profile(record, profiles))))
            resources, number = max(resources, record.size), number + 1
        out.write(b'\n],\n"profiles": ' + msgspec.json.format(msgspec.json.encode(profiles), indent=1))
        out.write(f',\n"nb_res": {resources}\n}}\n'.encode())
    return number


def _expressible(records: Records, losses: Losses) -> Iterator[Record]:
    for record in records():
        if record.behavior.duration is None:
            losses.left_out["pod that runs forever"] += 1
        elif not (record.behavior.duration or record.behavior.flops):
            losses.left_out["job that takes no time"] += 1
        else:
            losses.count_spec(record)
            losses.count_identity(record)
            for resource in record.requests.keys() - {CPU, MEMORY}:
                losses.count(f"request for {resource}", record.requests[resource])
            yield record


def _job(record: Record, profile: str) -> dict[str, Any]:
    job = record.behavior.job
    written = {"id": _identifier(record), "subtime": _number(record.time), "res": record.size, "profile": profile}
    if job is not None and job.walltime is not None:
        written["walltime"] = _number(job.walltime)
    asked = {resource: amount for resource, amount in record.requests.items() if resource in (CPU, MEMORY)}
    written |= format_amounts({CPU: 0, **asked})
    if record.pod.scheduler_name not in (_DEFAULT_SCHEDULER, RUNS_SCHEDULER):
        written["scheduler"] = record.pod.scheduler_name
    return written


def _identifier(record: Record) -> str:
    """Returns the id that becomes the same pod's name when it is read."""
    if record.behavior.job is not None and record.behavior.job.id.lower() == record.name:
        return record.behavior.job.id
    return record.name


def _add_profile(record: Record, profiles: dict[str, Any]) -> str:
    """Adds what a job does to the profiles, and returns the name of that."""
    behavior = record.behavior
    ending = {"ret": behavior.exit_code} if behavior.exit_code else {}
    name = profile_name(behavior.duration, behavior.exit_code)
    assert behavior.duration is not None
    if behavior.flops:
        work = f"flops{behavior.flops!r}"
        profiles[work] = {"type": "parallel_homogeneous", "cpu": behavior.flops, "com": 0}
        if behavior.duration == 0 and not ending:
            return work
        parts = [profile_name(behavior.duration), work] if behavior.duration else [work]
        profiles[f"{name}+{work}"] = {"type": "composed", "seq": parts, **ending}
        name, ending = f"{name}+{work}", {}
    if behavior.duration:
        delay = profile_name(behavior.duration) if behavior.flops else name
        profiles[delay] = {"type": "delay", "delay": _number(behavior.duration), **ending}
    return name


def _number(time: Nanoseconds) -> msgspec.Raw:
    """Returns a time in seconds as a JSON number with all its digits."""
    return msgspec.Raw(format_seconds(time).encode())
