from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.references import Reference


class JobState(StrEnum):
    """The states of a BatchJob, with their published names."""

    READY = "ReadyState"
    IN_QUEUE = "InQueueState"
    SUBMITTED = "SubmittedState"
    SCHEDULED = "ScheduledState"
    RUNNING = "RunningState"
    COMPLETED = "CompletedState"
    PENDING_DELETION = "PendingDeletion"
    FAILED = "FailedState"
    FAILED_SUBMISSION = "FailedSubmissionState"

    __hash__ = str.__hash__  # quicker than an enumeration's own


_STATES = {state.value: state for state in JobState}  # quicker than JobState(…)


class CreationRequest(msgspec.Struct, frozen=True, rename="camel"):
    """A scheduling's request to create the application of a job on these slots of a testbed."""

    slot_ids: tuple[int, ...]
    testbed_name: Reference
    replication: int


class ScheduledEvent(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One run of a job: when it started and stopped, in RFC 3339, and for which scheduling."""

    start: str | None = None
    stop: str | None = None
    successful: bool | None = None
    scheduling: Reference | None = None


class BatchJobSpec(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a user asks for: part of a SparkApplication's or of a Flink job's spec.

    `external_scheduler` is data that external schedulers store with the job. Newer versions keep claims and creation
    requests here, the seed's in labels.
    """

    spark_spec: dict[str, Any] | None = None
    flink_spec: dict[str, Any] | None = None
    external_scheduler: dict[str, list[dict[str, str]]] | None = None
    creation_request: CreationRequest | None = None
    active_scheduling: Reference | None = None


class BatchJobStatus(msgspec.Struct, rename="camel", omit_defaults=True):
    """What the operator reports of a job; `slots` is the testbed of its application."""

    state: str = ""
    scheduled_events: list[ScheduledEvent] = []
    slots: Reference | None = None
    slot_ids: list[int] = []
    replication: int = 0
    problems: list[str] = []
    conditions: list[dict[str, Any]] = []


class BatchJob:
    """A BatchJob, as it was last seen; its fields are read when they are first asked for.

    msgspec.ValidationError if they have other types than the definition says.
    """

    __slots__ = ("_claim", "_request", "object")

    def __init__(self, found: KubeObject) -> None:
        self.object = found
        self._claim: Reference | UnsetType | None = UNSET  # not read yet
        self._request: CreationRequest | UnsetType | None = UNSET

    @property
    def spec(self) -> BatchJobSpec:
        """Returns its spec."""
        return msgspec.convert(self.object.spec, BatchJobSpec)

    @property
    def status(self) -> BatchJobStatus:
        """Returns its status."""
        return msgspec.convert(self.object.status, BatchJobStatus)

    @property
    def reference(self) -> Reference:
        """Returns its name and namespace."""
        return Reference(self.object.name, self.object.namespace)

    @property
    def state(self) -> JobState:
        """Returns its state; a new job is ready."""
        stated = self.object.status.get("state") or JobState.READY
        return _STATES.get(stated) or JobState(stated)

    @property
    def claim(self) -> Reference | None:
        """Returns the scheduling that has claimed it, in either form."""
        if self._claim is UNSET:
            stated = self.object.spec.get("activeScheduling")
            self._claim = claim_of(self.object) or (msgspec.convert(stated, Reference) if stated else None)
        return self._claim

    @property
    def request(self) -> CreationRequest | None:
        """Returns the request to create its application, in either form."""
        if self._request is UNSET:
            stated = self.object.spec.get("creationRequest")
            labelled = _labelled_request(self.object.labels)
            self._request = labelled or (msgspec.convert(stated, CreationRequest) if stated else None)
        return self._request


def read_batchjob(found: KubeObject) -> BatchJob:
    """Returns a BatchJob, the same one for the same version."""
    if found.view is None:
        found.view = BatchJob(found)
    job: BatchJob = found.view
    return job


def claim_of(found: KubeObject) -> Reference | None:
    """Returns the scheduling that the labels of a job or testbed name."""
    name = found.labels.get(labels.CLAIM_NAME)
    return Reference(name, found.labels.get(labels.CLAIM_NAMESPACE) or found.namespace) if name else None


def claim_labels(scheduling: Reference) -> dict[str, str]:
    """Returns the labels of a claim."""
    return {labels.CLAIM_NAME: scheduling.name, labels.CLAIM_NAMESPACE: scheduling.namespace}


def request_labels(request: CreationRequest) -> dict[str, str]:
    """Returns the labels of a creation request."""
    return {
        labels.REQUEST_SLOT_IDS: labels.join_ids(request.slot_ids),
        labels.REQUEST_TESTBED: request.testbed_name.name,
        labels.REQUEST_TESTBED_NAMESPACE: request.testbed_name.namespace,
        labels.REQUEST_REPLICATION: str(request.replication),
    }


def _labelled_request(found: Mapping[str, str]) -> CreationRequest | None:
    name = found.get(labels.REQUEST_TESTBED)
    if not name:
        return None
    return _request(
        name,
        found.get(labels.REQUEST_TESTBED_NAMESPACE) or "default",
        found.get(labels.REQUEST_SLOT_IDS, ""),
        found.get(labels.REQUEST_REPLICATION, ""),
    )


@lru_cache(maxsize=4096)  # every version of a job with this request says the same
def _request(name: str, namespace: str, slot_ids: str, replication: str) -> CreationRequest:
    ids = labels.split_ids(slot_ids)
    return CreationRequest(ids, Reference(name, namespace), int(replication) if replication.isdecimal() else len(ids))
