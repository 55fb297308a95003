from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.statefulsets.claims import COMPONENT, Claims
from wavetank.controllers.statefulsets.members import POD_INDEX, POD_NAME, Member


class MemberControl:
    """Creates, updates and deletes the pods of StatefulSets with their claims, and records Events."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self.claims = Claims(context)

    def create(self, owner: Resource, member: Member) -> None:
        """Creates the claims of a pod, then the pod."""
        assert member.make is not None
        with self._recording_events("Create", owner, member.name):
            self.claims.create_missing(owner, member)
            made = self._context.client.create(member.make())
        assert isinstance(made, Pod)
        self.claims.set_owners(owner, Member.present(member.ordinal, made))

    def complete(self, owner: Resource, member: Member) -> None:
        """Creates missing claims of a pending pod."""
        self.claims.create_missing(owner, member)
        self.claims.set_owners(owner, member)

    def correct(self, owner: Resource, member: Member) -> None:
        """Corrects the identity labels of a pod and the owners of its claims."""
        assert member.pod is not None
        labels = {POD_NAME: member.name, POD_INDEX: str(member.ordinal)}
        if member.pod.labels.get(POD_NAME) != member.name:
            with self._recording_events("Update", owner, member.name):
                document = member.pod.render()
                document["metadata"] = {**document["metadata"], "labels": {**member.pod.labels, **labels}}
                self._context.client.update(member.pod, document)
        self.claims.set_owners(owner, member)

    def delete(self, owner: Resource, member: Member) -> None:
        """Deletes a pod."""
        assert member.pod is not None
        with self._recording_events("Delete", owner, member.name):
            self._context.client.delete(member.pod)

    @contextmanager
    def _recording_events(self, what: str, owner: Resource, name: str) -> Iterator[None]:
        head = f"{what} Pod {name} in StatefulSet {owner.name}"
        try:
            yield
        except ApiError as error:
            if error.reason != AlreadyExistsError.reason:
                message = f"{head} failed error: {error}"
                self._context.record_event(owner, "Warning", f"Failed{what}", message, COMPONENT)
            raise
        self._context.record_event(owner, "Normal", f"Successful{what}", f"{head} successful", COMPONENT)
