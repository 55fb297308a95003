from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.deployments.draft import PROGRESSING, Draft, a_condition, set_condition
from wavetank.controllers.deployments.replicasets import HASH, REVISION, annotated, size, sized, total_size
from wavetank.controllers.deployments.scaling import COMPONENT
from wavetank.controllers.framework.apierrors import is_namespace_terminating
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.hashing.hashes import template_hash
from wavetank.controllers.workloads.intstr import scaled_value

_LONGEST_NAME = 253
_FAILED = "ReplicaSetCreateError"


class NewReplicaSet:
    """Creates the ReplicaSet of a Deployment's current template, and maintains its revision."""

    def __init__(self, context: ControllerContext, draft: Draft) -> None:
        self._context = context
        self._draft = draft

    def keep(self, new: Resource, revision: int) -> Resource:
        """Updates the annotations of the ReplicaSet and the Deployment's revision; returns the new version."""
        draft = self._draft
        annotations = annotated(new.annotations, draft.annotations, revision)
        if annotations != dict(new.annotations) or _min_ready_s(new) != draft.min_ready_s:
            return self._context.client.update(new, self._renewed(new, annotations))
        draft.annotations[REVISION] = new.annotations.get(REVISION, "")
        if draft.deadline_s is not None and draft.condition(PROGRESSING) is None:
            self._tell_progress("FoundNewReplicaSet", f'Found new replica set "{new.name}"')
        draft.write(self._context.client)
        return new

    def _renewed(self, new: Resource, annotations: dict[str, str]) -> Document:
        document = new.render()
        document["metadata"] = {**document["metadata"], "annotations": annotations}
        document["spec"] = {**document["spec"], "minReadySeconds": self._draft.min_ready_s}
        if not self._draft.min_ready_s:
            del document["spec"]["minReadySeconds"]
        return document

    def make(self, revision: int, old: Sequence[Resource]) -> Resource:
        """Creates the ReplicaSet; ApiError if that is refused, which the Deployment's conditions then report."""
        document = self._document(revision, old)
        new = self._create(document)
        wanted = size(new)
        if wanted:
            message = f"Scaled up replica set {new.name} from 0 to {wanted}"
            self._context.record_event(self._draft.resource, "Normal", "ScalingReplicaSet", message, COMPONENT)
        self._draft.annotations[REVISION] = str(revision)
        if self._draft.deadline_s is not None:
            self._tell_progress("NewReplicaSetCreated", f'Created new replica set "{new.name}"')
        self._draft.write(self._context.client)
        return new

    def size_of(self, new: Resource | None, sets: Sequence[Resource | None]) -> int:
        """Returns the size that the new ReplicaSet may have now, beside the existing ones."""
        draft, present = self._draft, size(new)
        if not draft.rolling:
            return draft.replicas
        surge = scaled_value(draft.spec["strategy"]["rollingUpdate"].get("maxSurge"), draft.replicas, round_up=True)
        allowed = draft.replicas + surge - total_size(sets)
        return present + max(min(allowed, draft.replicas - present), 0) if allowed > 0 else present

    def _document(self, revision: int, old: Sequence[Resource]) -> Document:
        draft, owner = self._draft, self._draft.resource
        hashing = partial(template_hash, draft.template, draft.status.get("collisionCount"))
        hash_ = self._context.beside(hashing, draft.template)
        metadata = draft.template.get("metadata") or {}
        labels = {**(metadata.get("labels") or {}), HASH: hash_}
        selector = dict(draft.spec["selector"])
        selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH: hash_}
        annotations = annotated({}, draft.annotations, revision)
        spec: Document = {"replicas": self.size_of(None, old), "selector": selector}
        if draft.min_ready_s:
            spec["minReadySeconds"] = draft.min_ready_s
        spec["template"] = {**draft.template, "metadata": {**metadata, "labels": labels}}
        return {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{owner.name[: _LONGEST_NAME - 1 - len(hash_)]}-{hash_}",
                "namespace": owner.namespace,
                "labels": labels,
                "annotations": sized(annotations, draft.replicas, draft.replicas + draft.max_surge),
                "ownerReferences": [controller_reference(owner)],
            },
            "spec": spec,
        }

    def _create(self, document: Document) -> Resource:
        try:
            return self._context.client.create(document)
        except ApiError as error:
            if error.reason == AlreadyExistsError.reason:
                self._count_collision()
            elif not is_namespace_terminating(error):
                self._tell_failure(document["metadata"]["name"], error)
            raise

    def _count_collision(self) -> None:
        """Changes the hash for the next attempt: another owner has a ReplicaSet of this name."""
        self._draft.status["collisionCount"] = self._draft.status.get("collisionCount", 0) + 1
        self._draft.write(self._context.client)

    def _tell_failure(self, name: str, error: ApiError) -> None:
        draft, message = self._draft, f'Failed to create new replica set "{name}": {error}'
        if draft.deadline_s is not None:
            self._tell_progress(_FAILED, message, status="False")
            draft.write(self._context.client)
        self._context.record_event(draft.resource, "Warning", _FAILED, message, COMPONENT)

    def _tell_progress(self, reason: str, message: str, status: str = "True") -> None:
        now = render_time(self._context.clock.now)
        set_condition(self._draft.status, a_condition(PROGRESSING, status, reason, message, now))


def _min_ready_s(each: Resource) -> int:
    return int(each.manifest["spec"].get("minReadySeconds") or 0)
