from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.hashing.hashes import data_hash
from wavetank.controllers.revisions.history import History, number_of
from wavetank.controllers.revisions.patches import patch_of, patch_text
from wavetank.controllers.statefulsets.spec import spec_of

_HASH = "controller.kubernetes.io/hash"
_LONGEST_PREFIX = 223


class Revisions(NamedTuple):
    """The revisions of a set: the current one, the update, and all of them, the oldest first."""

    current: Resource
    update: Resource
    all: list[Resource]
    collisions: int


class RevisionControl:
    """Creates, renumbers and deletes the ControllerRevisions of StatefulSets."""

    def __init__(self, context: ControllerContext) -> None:
        self._beside = context.beside
        self._history = History(context)

    def of(self, owner: Resource, selector: LabelSelector) -> Revisions:
        """Returns a set's revisions; that of the present template is created, or renumbered, if it is not the last."""
        known = self._history.of(owner, selector)
        status = owner.manifest.get("status") or {}
        collisions = int(status.get("collisionCount") or 0)
        patch = patch_of(spec_of(owner)["template"])
        equal = self._history.equal(known, patch)
        number = number_of(known[-1]) + 1 if known else 1
        if equal and equal[-1] is known[-1]:
            update = known[-1]
        elif equal:
            update = self._history.renumber(equal[-1], number)
        else:
            update, collisions = self._create(owner, patch, number, collisions)
        current = next((each for each in known if each.name == status.get("currentRevision")), update)
        return Revisions(current, update, known, collisions)

    def truncate(self, owner: Resource, revisions: Revisions, used: Collection[str]) -> None:
        """Deletes the oldest revisions beyond the history limit that no pod uses."""
        live = {revisions.current.name, revisions.update.name, *used}
        unused = [each for each in revisions.all if each.name not in live]
        limit = spec_of(owner).get("revisionHistoryLimit")
        surplus = len(unused) - (10 if limit is None else int(limit))
        for each in unused[: max(surplus, 0)]:
            self._history.delete(each)

    def _create(self, owner: Resource, patch: dict[str, Any], number: int, collisions: int) -> tuple[Resource, int]:
        """Creates a revision; while its name is taken by another one, counts a collision."""
        labels = (spec_of(owner)["template"].get("metadata") or {}).get("labels") or {}
        label = hash_ = self._hash(patch, collisions)
        while True:
            name = f"{owner.name[:_LONGEST_PREFIX]}-{hash_}"
            try:
                return self._history.create(name, owner, {**labels, _HASH: label}, patch, number), collisions
            except ApiError as error:
                if error.reason != AlreadyExistsError.reason:
                    raise
            present = self._history.find(owner.namespace, name)
            if present is not None and self._history.equal([present], patch):
                return present, collisions
            collisions += 1
            hash_ = self._hash(patch, collisions)

    def _hash(self, patch: dict[str, Any], collisions: int) -> str:
        return self._beside(lambda: data_hash(patch_text(patch), collisions), patch)
