from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale

Document = dict[str, Any]


class Client(Protocol):
    """Writes objects for controllers; ApiError if a write is refused.

    In a served cluster it goes through the API, with defaults, admission and validation; in a run it writes to the
    store. Controllers read from the store directly.
    """

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Creates an object and returns it; `name` overrides the document's name or generateName.

        The document is not changed. Passing the same document again is cheap and creates an equal object.
        """

    def update(self, old: Resource, document: Document) -> Resource:
        """Replaces an object, last seen as `old`, by a document, except for its status; returns the new version."""

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Replaces the status of an object, last seen as `old`, and its annotations if they are given.

        Returns the new version.
        """

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Deletes this object, a pod with its grace period; `policy` is Background, Foreground or Orphan."""

    def finalize(self, old: Resource, document: Document) -> None:
        """Replaces the spec.finalizers of a namespace, last seen as `old`; a deleted one without any is removed."""

    def get_scale(self, group: str, kind: str, namespace: str, name: str) -> Scale:
        """Returns the scale of an object; NoKindMatchError if there is no such kind in any version of the group."""

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Sets the wanted replicas of an object through its scale, last seen as `scale`."""
