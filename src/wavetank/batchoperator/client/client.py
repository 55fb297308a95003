"""What reconcilers, the extender, the External Scheduler Interface and simulated applications need of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.cluster.objects.groupkinds import GroupKind

Action = Literal["ADDED", "MODIFIED", "DELETED"]


class Change(msgspec.Struct, frozen=True):
    """A change of an object; `object` is its last version if it was deleted."""

    action: Action
    object: KubeObject


Handler = Callable[[Change], None]


def is_wanted(labels: Mapping[str, str], label: str | None, value: str | None) -> bool:
    """Tells whether an object with these labels is one for which a handler was subscribed."""
    if label is None:
        return True
    return label in labels if value is None else labels.get(label) == value


class Client(Protocol):
    """Reads and writes objects of a cluster.

    What is read may be older than what the server holds; writes that are made from it are refused then. A refused
    request raises an ApiError: NotFoundError, AlreadyExistsError, ConflictError (the object has changed since it was
    read), or another one with the server's code, reason and message. Handlers are called one at a time, never during
    another handler; a write made in one takes effect at once.
    """

    def get(self, kind: GroupKind, namespace: str, name: str) -> KubeObject | None:
        """Returns an object, or None; `namespace` is empty for kinds without one."""

    def list(
        self, kind: GroupKind, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> list[KubeObject]:
        """Returns the objects of a kind, in a namespace or in all, that have these labels; oldest first."""

    def subscribe(self, kind: GroupKind, handler: Handler, label: str | None = None, value: str | None = None) -> None:
        """Calls `handler` with each object of a kind, as ADDED if it exists already, and with every change.

        With `label`, only with objects that have that label; with `value`, too, only if it has this value.
        """

    def create(self, document: Mapping[str, Any]) -> KubeObject:
        """Creates an object, whose name may be given by generateName, and returns it."""

    def update(self, old: KubeObject, spec: Mapping[str, Any]) -> KubeObject:
        """Replaces the spec of an object, last read as `old`, and returns the new version."""

    def update_status(self, old: KubeObject, status: Mapping[str, Any]) -> KubeObject:
        """Replaces the status of an object, last read as `old`, and returns the new version."""

    def patch_labels(
        self,
        old: KubeObject,
        labels: Mapping[str, str | None],
        annotations: Mapping[str, str | None] | None = None,
    ) -> KubeObject:
        """Sets labels and annotations of an object, last read as `old`; None removes one. Returns the new version."""

    def delete(self, old: KubeObject, grace_s: int | None = None) -> None:
        """Deletes an object; nothing happens if it is gone or was replaced by another of the same name."""
