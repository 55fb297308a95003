"""Jobs of the protocol as pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.documents import reading as fields
from wavetank.workloads.formats.batsim.workload import (
    POD_MANIFEST,
    pod_name,
    read_identifier,
    read_walltime,
    request_fields,
    requested,
    spec_asking,
)


class PodJob:
    """A job and its pods, one per machine that it asks for; `places` are their nodes as they are bound."""

    def __init__(self, identifier: str, pods: Sequence[Pod]) -> None:
        self.identifier = identifier
        self.pods = pods
        self.places: dict[str, str] = {}  # by the names of the pods
        self.started = False

    def bind(self, pod: Pod) -> bool:
        """Notes the node of a pod; returns whether all have one now."""
        self.places[pod.name] = pod.node_name
        return len(self.places) == len(self.pods)

    def nodes(self) -> list[str]:
        """Returns the node of each rank."""
        return [self.places[pod.name] for pod in self.pods]


def pod_job(data: Mapping[str, Any], profiles: Mapping[str, Any], specs: SpecTable) -> PodJob:
    """Makes the pods of a JOB_SUBMITTED; `profiles` are those of the job's workload, as far as they are known.

    Requests are those of the job, else those of its profile (`cpu` and `memory`), else one CPU.
    """
    identifier = read_identifier(data.get("job_id"), "job_id")
    raw = fields.mapping(data.get("job"), "job")
    name, size = str(raw.get("profile")), fields.integer(raw.get("res"), "job.res", 1, fields.MOST_OBJECTS)
    profile = data.get("profile") or profiles.get(name) or {}
    walltime = read_walltime(raw.get("walltime", -1), "job.walltime")
    _, cpu, memory = requested(raw, "job", request_fields(profile, str(profile.get("type", "delay"))))
    spec = spec_asking(specs, "default", cpu, memory)
    workload, _, job = identifier.rpartition("!")
    behavior = PodBehavior(None, job=Job(job, workload, name, size, walltime))
    base = pod_name(identifier, "job_id")
    names = [base] if size == 1 else [f"{base}-{rank}" for rank in range(size)]
    return PodJob(identifier, [Pod(POD_MANIFEST, spec, name=each, behavior=behavior) for each in names])
