from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.volcanojobs.spec import JobSpec, read_job
from wavetank.controllers.volcanojobs.validation import problems_of
from wavetank.errors import InputError


class SpecCache:
    """The parsed specs of jobs; each is parsed again only when it changes."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Any, JobSpec | None, str]] = {}  # by uid: manifest, spec, problem

    def spec_of(self, job: Resource) -> JobSpec:
        """Returns the spec of a valid job."""
        spec = self._look(job)[1]
        assert spec is not None, "spec_of is called for valid jobs only"
        return spec

    def problem_of(self, job: Resource) -> str:
        """Returns why a job is invalid; empty if it is valid."""
        return self._look(job)[2]

    def forget(self, job: Resource) -> None:
        """Drops a deleted job."""
        self._read.pop(job.uid, None)

    def _look(self, job: Resource) -> tuple[Any, JobSpec | None, str]:
        given = job.manifest.get("spec")
        known = self._read.get(job.uid)
        if known is None or known[0] is not given:
            known = self._read[job.uid] = (given, *_read(job))
        return known


def _read(job: Resource) -> tuple[JobSpec | None, str]:
    try:
        spec = read_job(job.manifest)
    except InputError as error:
        return None, str(error)
    return spec, problems_of(job.name, spec)
