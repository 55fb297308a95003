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
    """Creates and deletes pods for their owners, and tells of it in Events."""

    def __init__(self, context: ControllerContext, component: str) -> None:
        self._context = context
        self._component = component

    def create_in_batches(self, owner: Resource, documents: Sequence[Mapping[str, Any]]) -> None:
        """Creates pods in batches of 1, 2, 4 and so on; the first batch with a failure is the last one.

        ApiError: the first failure.
        """
        in_batches(documents, lambda document: self.create(owner, document))

    def create(self, owner: Resource, document: Mapping[str, Any]) -> None:
        """Creates a pod; in a namespace that is coming to its end nothing is created, which is no failure."""
        try:
            pod = self._context.client.create(document)
        except ApiError as error:
            if is_namespace_terminating(error):
                return
            self._tell(owner, "Warning", "FailedCreate", f"Error creating: {error}")
            raise
        self._tell(owner, "Normal", "SuccessfulCreate", f"Created pod: {pod.name}")

    def delete(self, owner: Resource, pod: Pod) -> None:
        """Deletes a pod; one that is gone already is fine."""
        try:
            self._context.client.delete(pod)
        except (NotFoundError, ConflictError):
            return
        except ApiError as error:
            if error.code == NotFoundError.code:
                return
            self._tell(owner, "Warning", "FailedDelete", f"Error deleting: {error}")
            raise
        self._tell(owner, "Normal", "SuccessfulDelete", f"Deleted pod: {pod.name}")

    def _tell(self, owner: Resource, type_: str, reason: str, message: str) -> None:
        self._context.tell(owner, type_, reason, message, self._component)
