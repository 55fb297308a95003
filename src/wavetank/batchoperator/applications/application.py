"""What a BatchJob's application is made of, and what its state means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.context import OperatorOptions
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.batchjob import BatchJob, CreationRequest
from wavetank.batchoperator.resources.groups import ApiGroup
from wavetank.batchoperator.resources.testbed import Testbed
from wavetank.cluster.objects.groupkinds import GroupKind


class Progress(Enum):
    """How far an application is."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True)
class Submission:
    """A job, the request to create its application, and the testbed that the request names."""

    group: ApiGroup
    job: BatchJob
    request: CreationRequest
    testbed: Testbed
    options: OperatorOptions

    @property
    def resources(self) -> Mapping[str, str | int]:
        """Returns what each pod requests: what a slot has."""
        return self.testbed.spec.resources_per_slot

    @property
    def pod_labels(self) -> dict[str, str]:
        """Returns the labels by which the extender knows the pods."""
        found = self.testbed.object
        marks = {
            labels.TESTBED_NAME: found.name,
            labels.SLOT_IDS: labels.join_ids(self.request.slot_ids),
            labels.IS_GHOST: "false",
        }
        if found.namespace != self.job.object.namespace:
            marks[labels.TESTBED_NAMESPACE] = found.namespace
        return marks

    @property
    def affinity(self) -> dict[str, Any]:
        """Returns the affinity to all nodes on which the slots are."""
        slots = self.testbed.object.status.get("slots") or ()
        wanted = {slots[id_]["nodeId"] for id_ in self.request.slot_ids}
        values = [str(node_id) for node_id in sorted(wanted)]
        term = {"matchExpressions": [{"key": self.testbed.spec.node_label, "operator": "In", "values": values}]}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        return {"nodeAffinity": required}

    @property
    def metadata(self) -> dict[str, Any]:
        """Returns the metadata of the application, which the job owns."""
        found = self.job.object
        owner = {
            "apiVersion": self.group.api_version,
            "kind": "BatchJob",
            "name": found.name,
            "uid": found.uid,
            "controller": True,
        }
        metadata = {
            "name": found.name,
            "namespace": found.namespace,
            "labels": {labels.MANAGED_BY: labels.OPERATOR, **self.mark},
            "ownerReferences": [owner],
        }
        kept = {key: value for key, value in found.annotations.items() if key.startswith("wavetank.dev/")}
        return {**metadata, "annotations": {**kept, labels.SLOT_PLACES: " ".join(self._places)}}

    @property
    def _places(self) -> list[str]:
        slots = self.testbed.object.status.get("slots") or ()
        return slot_places(slots[id_] for id_ in self.request.slot_ids)

    @property
    def mark(self) -> dict[str, str]:
        """Returns the labels that tell for which claim and slots an application was made."""
        claim = self.job.claim
        assert claim is not None, "a request without a claim"
        return {
            labels.CLAIM_NAME: claim.name,
            labels.CLAIM_NAMESPACE: claim.namespace,
            labels.SLOT_IDS: labels.join_ids(self.request.slot_ids),
        }


def slot_places(slots: Iterable[Mapping[str, Any]]) -> list[str]:
    """Returns where the slots in the status of a testbed are: node and position."""
    return [f"{slot['nodeName']}/{slot['slotPositionOnNode']}" for slot in slots]


class ApplicationType(Protocol):
    """A kind of application."""

    kind: GroupKind

    def build(self, submission: Submission) -> dict[str, Any]:
        """Returns the application of a job."""

    def progress(self, application: KubeObject) -> Progress:
        """Tells how far an application is."""
