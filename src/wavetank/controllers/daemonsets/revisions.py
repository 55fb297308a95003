from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.daemonsets.spec import HASH, DaemonSetSpec
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.hashing.hashes import template_hash
from wavetank.controllers.revisions.history import History, number_of
from wavetank.controllers.revisions.patches import patch_of


class Revisions(NamedTuple):
    """The revision of a DaemonSet's current template, and older ones."""

    present: Resource
    old: list[Resource]

    @property
    def hash(self) -> str:
        """Returns the hash of the current template."""
        return self.present.labels.get(HASH, "")


class RevisionControl:
    """Creates, renumbers and deletes the ControllerRevisions of DaemonSets."""

    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client
        self._beside = context.beside
        self._history = History(context)

    def of(self, spec: DaemonSetSpec, selector: LabelSelector) -> Revisions:
        """Returns a DaemonSet's revisions; the current one is created if needed and has the highest number."""
        patch = patch_of(spec.template)
        known = self._history.of(spec.owner, selector)
        present = self._history.equal(known, patch)
        old = [each for each in known if each not in present]
        number = max((number_of(each) for each in old), default=0) + 1
        if not present:
            return Revisions(self._create(spec, number), old)
        kept = present[-1]
        for each in present[:-1]:
            self._history.delete(each)
        if number_of(kept) < number:
            kept = self._history.renumber(kept, number)
        return Revisions(kept, old)

    def truncate(self, spec: DaemonSetSpec, revisions: Revisions, used: Callable[[], set[str]]) -> None:
        """Deletes the oldest revisions beyond the history limit that no pod uses."""
        surplus = len(revisions.old) - spec.history_limit
        if surplus <= 0:
            return
        live = used()
        for each in [each for each in revisions.old if each.labels.get(HASH, "") not in live][:surplus]:
            self._history.delete(each)

    def _create(self, spec: DaemonSetSpec, number: int) -> Resource:
        owner = spec.owner
        status = owner.manifest.get("status") or {}
        collisions = status.get("collisionCount")
        hash_ = self._beside(partial(template_hash, spec.template, collisions), spec.template)
        labels = {**((spec.template.get("metadata") or {}).get("labels") or {}), HASH: hash_}
        name, patch = f"{owner.name}-{hash_}", patch_of(spec.template)
        try:
            return self._history.create(name, owner, labels, patch, number)
        except ApiError as error:
            if error.reason == AlreadyExistsError.reason:
                self._client.update_status(owner, {**status, "collisionCount": (collisions or 0) + 1})
            raise
