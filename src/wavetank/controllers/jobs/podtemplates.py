"""The pods of a Job."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.jobs.pods import FAILURES, IGNORED_FAILURES, INDEX, TRACKING, failure_count
from wavetank.controllers.jobs.policies import match_failure_policy
from wavetank.controllers.jobs.spec import JobSpec
from wavetank.controllers.workloads.podtemplates import pod_of

_LONGEST_PREFIX = 58  # of a generated name
_ENV = "JOB_COMPLETION_INDEX"


def job_pod(job: Resource, spec: JobSpec) -> Document:
    """Returns the document of a pod of a Job, with the tracking finalizer."""
    document = pod_of(job, spec.template)
    finalizers = list(document["metadata"].get("finalizers") or ())
    document["metadata"]["finalizers"] = [*finalizers, *([] if TRACKING in finalizers else [TRACKING])]
    return document


def indexed_pod(job: Resource, spec: JobSpec, index: int, replaced: Pod | None, context: ControllerContext) -> Document:
    """Returns the document of the pod of an index; `replaced` is the failed pod before it."""
    document = job_pod(job, spec)
    metadata = document["metadata"]
    annotations = {**(metadata.get("annotations") or {}), INDEX: str(index)}
    if spec.backoff_per_index is not None:
        annotations |= _failures(spec, replaced, context)
    metadata["generateName"] = _prefix(job.name, index)
    metadata["labels"] = {**(metadata.get("labels") or {}), INDEX: str(index)}
    metadata["annotations"] = annotations
    document["spec"] = {**_with_index(document["spec"]), "hostname": f"{job.name}-{index}"}
    return document


def _failures(spec: JobSpec, replaced: Pod | None, context: ControllerContext) -> dict[str, str]:
    if replaced is None:
        return {FAILURES: "0"}
    counted, ignored = failure_count(replaced), failure_count(replaced, IGNORED_FAILURES)
    if match_failure_policy(spec.failure_policy, replaced, context).counts:
        counted += 1
    else:
        ignored += 1
    return {FAILURES: str(counted), **({IGNORED_FAILURES: str(ignored)} if ignored else {})}


def _prefix(job: str, index: int) -> str:
    suffix = f"-{index}-"
    return (
        f"{job}{suffix}" if len(job) + len(suffix) <= _LONGEST_PREFIX else job[: _LONGEST_PREFIX - len(suffix)] + suffix
    )


def _with_index(spec: dict[str, Any]) -> dict[str, Any]:
    """Sets the completion index in the environment of all containers."""
    field = {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}}
    changed = dict(spec)
    for part in ("initContainers", "containers"):
        if spec.get(part):
            changed[part] = [_with_variable(container, {"name": _ENV, "valueFrom": field}) for container in spec[part]]
    return changed


def _with_variable(container: dict[str, Any], variable: dict[str, Any]) -> dict[str, Any]:
    known = container.get("env") or []
    return container if any(each.get("name") == _ENV for each in known) else {**container, "env": [*known, variable]}
