from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from wavetank.cluster.objects.resource import Resource

Document = dict[str, Any]


class Client(Protocol):
    """The door through which controllers write; whatever is refused is an ApiError.

    Behind it is either the API of a served cluster, with defaults, admission and validation, or the store of a run.
    Controllers read from the store itself.
    """

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Creates an object and returns it; `name` or, in the document, a generateName may stand for its name.

        The document stays the caller's, unchanged: one that is given again makes an equal object, at little cost.
        """

    def update(self, old: Resource, document: Document) -> Resource:
        """Replaces an object, last seen as `old`, by a document, all but its status; returns the new version."""

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Replaces the status of an object, last seen as `old`, and its annotations if any are given.

        Returns the new version.
        """

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Deletes that very object, a pod after its grace period; `policy` is Background, Foreground or Orphan."""

    def finalize(self, old: Resource, document: Document) -> None:
        """Replaces the finalizers in the spec of a namespace, last seen as `old`; a deleted one goes without them."""
