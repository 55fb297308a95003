from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.volcanojobs.spec import JobSpec, read_job
from wavetank.controllers.volcanojobs.validation import problems_of
from wavetank.errors import InputError


class Reading:
    """The specs of jobs, each read once for as long as it stays the same."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Any, JobSpec | None, str]] = {}  # by uid: what was read, and what is wrong with it

    def spec_of(self, job: Resource) -> JobSpec:
        """Returns the spec of a job with which nothing is wrong."""
        spec = self._look(job)[1]
        assert spec is not None, "nobody asks for the spec of a job that cannot be read"
        return spec

    def problem_of(self, job: Resource) -> str:
        """Returns what is wrong with a job, in a few words; empty if nothing is."""
        return self._look(job)[2]

    def forget(self, job: Resource) -> None:
        """Forgets a job that is gone."""
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
