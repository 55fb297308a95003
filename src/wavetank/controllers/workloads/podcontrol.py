from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError, ConflictError, NotFoundError
from wavetank.controllers.framework.apierrors import is_namespace_terminating
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.workloads.batches import in_batches


class PodControl:
    """Creates and deletes pods for their owners, and records Events."""

    def __init__(self, context: ControllerContext, component: str) -> None:
        self._context = context
        self._component = component

    def create_in_batches(self, owner: Resource, documents: Sequence[Mapping[str, Any]]) -> None:
        """Creates pods in batches of 1, 2, 4 and so on; stops after the first batch with a failure.

        ApiError: the first failure.
        """
        in_batches(documents, lambda document: self.create(owner, document))

    def create(self, owner: Resource, document: Mapping[str, Any]) -> None:
        """Creates a pod; in a terminating namespace it does nothing."""
        try:
            pod = self._context.client.create(document)
        except ApiError as error:
            if is_namespace_terminating(error):
                return
            self._record(owner, "Warning", "FailedCreate", f"Error creating: {error}")
            raise
        self._record(owner, "Normal", "SuccessfulCreate", f"Created pod: {pod.name}")

    def delete(self, owner: Resource, pod: Pod) -> None:
        """Deletes a pod; it may be gone already."""
        try:
            self._context.client.delete(pod)
        except (NotFoundError, ConflictError):
            return
        except ApiError as error:
            if error.code == NotFoundError.code:
                return
            self._record(owner, "Warning", "FailedDelete", f"Error deleting: {error}")
            raise
        self._record(owner, "Normal", "SuccessfulDelete", f"Deleted pod: {pod.name}")

    def _record(self, owner: Resource, type_: str, reason: str, message: str) -> None:
        self._context.record_event(owner, type_, reason, message, self._component)
