"""Claims of jobs and testbeds, and creation requests: read in both published forms, written in one of them."""

from __future__ import annotations

from typing import Any

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.context import OperatorContext
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.batchjob import CreationRequest, claim_labels, request_labels
from wavetank.batchoperator.resources.references import Reference

_CLAIM = (labels.CLAIM_NAME, labels.CLAIM_NAMESPACE)
_REQUEST = (
    labels.REQUEST_SLOT_IDS,
    labels.REQUEST_TESTBED,
    labels.REQUEST_TESTBED_NAMESPACE,
    labels.REQUEST_REPLICATION,
)
_MARKS = dict.fromkeys((*_CLAIM, *_REQUEST))
_FIELDS = frozenset({"activeScheduling", "creationRequest"})


def claim_testbed(context: OperatorContext, testbed: KubeObject, scheduling: Reference) -> None:
    """Claims a testbed, which is always done by labels; ConflictError if it has changed meanwhile."""
    context.client.patch_labels(testbed, claim_labels(scheduling))


def claim_job(context: OperatorContext, job: KubeObject, scheduling: Reference) -> None:
    """Claims a job; ConflictError if it has changed meanwhile."""
    if context.options.form == "labels":
        context.client.patch_labels(job, claim_labels(scheduling))
    else:
        context.client.update(job, {**job.spec, "activeScheduling": _reference(scheduling)})


def request_application(context: OperatorContext, job: KubeObject, request: CreationRequest) -> None:
    """Requests that the application of a job is created; ConflictError if the job has changed meanwhile."""
    if context.options.form == "labels":
        context.client.patch_labels(job, request_labels(request))
        return
    stated = {
        "slotIds": list(request.slot_ids),
        "testbedName": _reference(request.testbed_name),
        "replication": request.replication,
    }
    context.client.update(job, {**job.spec, "creationRequest": stated})


def release(context: OperatorContext, found: KubeObject) -> None:
    """Removes claim and request from a job or testbed, in both forms."""
    marks = [label for label in _MARKS if label in found.labels]
    if marks:
        found = context.client.patch_labels(found, dict.fromkeys(marks))
    if not _FIELDS.isdisjoint(found.spec):
        kept = {name: value for name, value in found.spec.items() if name not in _FIELDS}
        context.client.update(found, kept)


def is_marked(found: KubeObject) -> bool:
    """Tells whether a job has a claim or a request in any form."""
    return not (_MARKS.keys().isdisjoint(found.labels) and _FIELDS.isdisjoint(found.spec))


def _reference(name: Reference) -> dict[str, Any]:
    return {"name": name.name, "namespace": name.namespace}
