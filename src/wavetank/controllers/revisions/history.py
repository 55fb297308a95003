from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import CONTROLLER_REVISION
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import NotFoundError
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.revisions.patches import sorted_patch
from wavetank.controllers.workloads.adoption import adopt
from wavetank.kernel.durations import SECOND


class History:
    """Finds, creates, renumbers and deletes the ControllerRevisions of workloads."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._owned = context.owned(CONTROLLER_REVISION)

    def of(self, owner: Resource, selector: LabelSelector) -> list[Resource]:
        """Returns an owner's revisions by number; matching orphans are adopted."""
        found = list(self._owned.of(owner.uid))
        if owner.deleted is None:
            orphans = [each for each in self._owned.orphans(owner.namespace) if selector.matches(each.labels)]
            found += (adopt(self._context.client, owner, each) for each in orphans)
        return sorted(found, key=lambda each: (number_of(each), each.created // SECOND, each.name))

    def equal(self, revisions: Sequence[Resource], patch: Document) -> list[Resource]:
        """Returns the revisions that have this patch."""
        return self._context.beside(lambda: [each for each in revisions if each.manifest.get("data") == patch], patch)

    def create(self, name: str, owner: Resource, labels: Mapping[str, str], data: Document, number: int) -> Resource:
        """Creates a revision of an owner, with the owner's annotations; ApiError if it is refused."""
        metadata: Document = {"name": name, "namespace": owner.namespace, "labels": dict(labels)}
        if owner.annotations:
            metadata["annotations"] = dict(owner.annotations)
        metadata["ownerReferences"] = [controller_reference(owner)]
        head = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata}
        made = self._context.beside(partial(sorted_patch, data), data)
        return self._context.client.create({**head, "data": made, "revision": number})

    def find(self, namespace: str, name: str) -> Resource | None:
        """Returns the revision of that name, or None."""
        return self._context.store.find(CONTROLLER_REVISION, namespace, name)

    def renumber(self, revision: Resource, number: int) -> Resource:
        """Changes the number of a revision; returns its new version."""
        document: dict[str, Any] = revision.render()
        document["revision"] = number
        return self._context.client.update(revision, document)

    def delete(self, revision: Resource) -> None:
        """Deletes a revision; it may be gone already."""
        try:
            self._context.client.delete(revision)
        except NotFoundError:
            return


def number_of(revision: Resource) -> int:
    """Returns the number of a revision."""
    return int(revision.manifest.get("revision") or 0)
