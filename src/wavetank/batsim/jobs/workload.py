from __future__ import annotations

from pathlib import Path

from wavetank.batsim.jobs.job import Job
from wavetank.batsim.jobs.profiles import Catalogue
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile


class Workload:
    """A workload: its jobs by their names, its profiles, and the resources that it was made for (0: unknown)."""

    def __init__(self, name: str, path: str = "", resources: int = 0, profiles: Catalogue | None = None) -> None:
        self.name = name
        self.path = path
        self.resources = resources
        self.profiles = profiles or Catalogue({})
        self.jobs: dict[str, Job] = {}

    def add(self, job: Job) -> None:
        """Adds a job; InputError if its name is taken, or its profile unknown or impossible."""
        if job.name in self.jobs:
            raise InputError(f"two jobs have the id {job.name!r:.60}")
        try:
            self.profiles.check(job.profile, job.size)
        except InputError as error:
            raise InputError(f"{error.message} (job {job.name!r:.60})", path=error.path) from None
        self.jobs[job.name] = job


def read_workload(path: Path, name: str) -> Workload:
    """Reads a workload; every job is checked."""
    file = InputFile.read(path)
    try:
        document = fields.mapping(file.documents[0] if len(file.documents) == 1 else None, "")
        resources = fields.integer(document.get("nb_res"), "nb_res", 1)
        profiles = Catalogue(fields.mapping(document.get("profiles"), "profiles"))
        workload = Workload(name, str(path), resources, profiles)
        for i, raw in enumerate(fields.items(document.get("jobs"), "jobs")):
            _add(workload, Job(name, fields.mapping(raw, f"jobs[{i}]"), f"jobs[{i}]"), i)
    except InputError as error:
        raise error.inside(source=file.source) from None
    return workload


def _add(workload: Workload, job: Job, place: int) -> None:
    if job.size > workload.resources:
        asked = f"job {job.name!r:.60} asks for {job.size} resources of {workload.resources}"
        raise InputError(asked, path=f"jobs[{place}].res")
    try:
        workload.add(job)
    except InputError as error:
        raise InputError(error.message, path=error.path or f"jobs[{place}]") from None
