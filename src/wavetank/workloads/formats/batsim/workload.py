"""Batsim's workloads (JSON, versions 3 and 4), with the fields that Batkube added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.podspec import PodSpec, SpecTable
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.workloads.formats.batsim.profiles import Profiles
from wavetank.workloads.inputfile import InputFile, naming
from wavetank.workloads.workload import Arrival

DEFAULT_CPU = "1"  # cores per resource, where neither the job nor its profile says it
WORKLOAD = "w0"  # Batsim's name of its first workload
RUNS_SCHEDULER = "default"  # Batkube's word for the scheduler of the run, whichever it is

POD_MANIFEST = {"apiVersion": "v1", "kind": "Pod", "metadata": {}}
_CONTAINER = {"name": "main", "image": "busybox", "imagePullPolicy": "Always", "command": ["sleep"]}
_SPEC = {"containers": [_CONTAINER], "restartPolicy": "Never"}
_LONGEST_NAME = 240  # characters, so that the rank of a pod fits behind it
_RANKED = re.compile(r"(.+)-(0|[1-9][0-9]{0,9})")


class _Submission(NamedTuple):
    """A job that is submitted at `time`; equal `asked` (scheduler, milli-CPU, bytes or None) share a spec."""

    time: Nanoseconds
    order: str
    name: str
    size: int
    behavior: PodBehavior
    asked: tuple[str, int, int | None]

    def pod_names(self) -> Iterator[str]:
        """Yields a name for each rank."""
        if self.size == 1:
            yield self.name
        else:
            yield from (f"{self.name}-{rank}" for rank in range(self.size))


class BatsimWorkload:
    """The jobs of a Batsim workload: each becomes one pod per requested resource, which run together.

    A job's pod is named like the job, `<job>-<rank>` if there are several, with dashes for what may not be in
    a name. Jobs of one time are submitted in Batsim's order, by id as text.
    """

    def __init__(self, file: InputFile) -> None:
        with naming(file):
            self._jobs = sorted(_read(file), key=lambda job: (job.time, job.order))
            _check_names(self._jobs)
        self.description = f"{len(self._jobs)} jobs from {file.name}"

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time; the same for every seed."""
        asked: dict[tuple[str, int, int | None], PodSpec] = {}
        for job in self._jobs:
            spec = asked.get(job.asked) or asked.setdefault(job.asked, spec_asking(specs, *job.asked))
            for name in job.pod_names():
                yield Arrival(job.time, Pod(POD_MANIFEST, spec, name=name, behavior=job.behavior))


def is_batsim(file: InputFile) -> bool:
    """Tells whether a file looks like a Batsim workload."""
    return bool(file.documents) and _is_workload(file.documents[0])


def _is_workload(document: object) -> bool:
    return isinstance(document, Mapping) and "jobs" in document and "profiles" in document


def _read(file: InputFile) -> Iterator[_Submission]:
    if len(file.documents) != 1 or not _is_workload(file.documents[0]):
        raise InputError("expected a Batsim workload: an object with nb_res, jobs and profiles")
    (document,) = file.documents
    resources = fields.integer(document.get("nb_res"), "nb_res", 1)
    profiles = Profiles(document["profiles"])
    for i, job in enumerate(fields.items(document["jobs"], "jobs")):
        try:
            yield _job(fields.mapping(job, f"jobs[{i}]"), f"jobs[{i}]", profiles, resources)
        except InputError as error:
            file.skip(error, "job that cannot be simulated")


def _job(job: Mapping[str, Any], path: str, profiles: Profiles, resources: int) -> _Submission:
    identifier = read_identifier(job.get("id"), f"{path}.id")
    profile = fields.text(job.get("profile"), f"{path}.profile")
    size = fields.integer(job.get("res"), f"{path}.res", 1, fields.MOST_OBJECTS)
    if size > resources:
        raise InputError(f"job {identifier!r:.60} asks for {size} resources of {resources}", path=f"{path}.res")
    time = fields.duration(job.get("subtime"), f"{path}.subtime")
    behavior = _behavior(
        identifier, profile, size, read_walltime(job.get("walltime", -1), f"{path}.walltime"), profiles, path
    )
    asked = requested(job, path, _extras(profiles, profile))
    return _Submission(time, identifier, pod_name(identifier, f"{path}.id"), size, behavior, asked)


def _behavior(
    identifier: str, profile: str, size: int, walltime: Nanoseconds | None, profiles: Profiles, path: str
) -> PodBehavior:
    try:
        work = profiles.work(profile, size)
    except InputError as error:
        where = error.path or f"{path}.profile"
        raise InputError(f"{error.message} (job {identifier!r:.60})", path=where) from None
    workload, _, name = identifier.rpartition("!")
    job = Job(name, workload or WORKLOAD, profile, size, walltime)
    return PodBehavior(work.duration, work.exit_code, flops=work.flops, job=job)


def read_identifier(value: object, path: str) -> str:
    """Reads the id of a job, a text or a number."""
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise InputError(f"expected a job id, a text or a whole number, got {value!r:.60}", path=path)
    return str(value)


def pod_name(identifier: str, path: str) -> str:
    """Returns the name of a job's pods: its id with dashes for what may not be in a name."""
    name = re.sub(r"[^a-z0-9-]", "-", identifier.lower()).strip("-")
    if not 0 < len(name) <= _LONGEST_NAME:
        raise InputError(f"the job id {identifier!r:.60} makes no name of a pod", path=path)
    return name


def read_walltime(value: object, path: str) -> Nanoseconds | None:
    """Reads the time that a job may take; None for none, written as -1."""
    if value == -1:
        return None
    walltime = fields.duration(value, path)
    if not walltime:
        raise InputError(f"expected a walltime above 0 s, or -1 for none, got {value!r:.60}", path=path)
    return walltime


def _extras(profiles: Profiles, profile: str) -> Mapping[str, Any]:
    """Returns what a profile may say for its jobs; in profiles that compute, `cpu` is work and no request."""
    return request_fields(profiles.raw(profile), profiles.kind(profile))


def request_fields(profile: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """Returns the fields of a profile that may be requests of its jobs."""
    computes = kind not in ("delay", "composed")
    return {key: value for key, value in profile.items() if not (computes and key == CPU)}


def requested(job: Mapping[str, Any], path: str, extras: Mapping[str, Any]) -> tuple[str, int, int | None]:
    """Returns the scheduler, the milli-CPU and the bytes of memory (or None) that a job or its profile states."""
    given = {CPU: DEFAULT_CPU, **extras, **job}
    requests = fields.amounts({name: given[name] for name in (CPU, MEMORY) if name in given}, path)
    scheduler = fields.text(given.get("scheduler", RUNS_SCHEDULER), f"{path}.scheduler")
    return scheduler, requests[CPU], requests.get(MEMORY)


def spec_asking(specs: SpecTable, scheduler: str, cpu: int, memory: int | None) -> PodSpec:
    """Returns the spec of pods that ask for so much."""
    base = specs.intern(_SPEC if scheduler == RUNS_SCHEDULER else {**_SPEC, "schedulerName": scheduler})
    return base.asking({CPU: cpu} if memory is None else {CPU: cpu, MEMORY: memory})


def _check_names(jobs: list[_Submission]) -> None:
    """Refuses two pods of one name without making all the names: a job may have a million ranks."""
    sizes: dict[str, int] = {}
    for job in jobs:
        if job.name in sizes:
            raise InputError(f'two jobs make pods named "{job.name}": ids must be unique', path="jobs")
        sizes[job.name] = job.size
    for job in jobs:
        ranked = _RANKED.fullmatch(job.name) if job.size == 1 else None
        if ranked and int(ranked[2]) < sizes.get(ranked[1], 0) != 1:
            raise InputError(f'two jobs make pods named "{job.name}": ids must be unique', path="jobs")
