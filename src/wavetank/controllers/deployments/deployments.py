from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import DEPLOYMENT, REPLICA_SET
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.deployments.draft import Draft
from wavetank.controllers.deployments.replicasets import Templates
from wavetank.controllers.deployments.rollout import Rollout
from wavetank.controllers.deployments.status import next_progress_check
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectorindex import SelectorIndex
from wavetank.controllers.workloads.adoption import adopt, release

_RETRIES = 15


class Deployments:
    """The deployment-controller: one ReplicaSet for each version of the template, and rollouts to the newest."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync, _RETRIES)
        self._sets = context.owned(REPLICA_SET)
        self._templates = Templates()
        self._selectors = SelectorIndex()
        self._adopting: set[Key] = set()  # Deployments that may have orphans to adopt
        self._settled: dict[Key, list[Any]] = {}  # nothing is to be done while these parts are unchanged
        self._store.subscribe(DEPLOYMENT, self)
        self._sets.follow_orphans(self._orphan_seen)
        for deployment in self._store.list(DEPLOYMENT):
            self.added(deployment)

    # events

    def added(self, new: Resource) -> None:
        """Adds a Deployment, with its existing ReplicaSets."""
        self._selectors.put(new.key, _selector(new))
        self._adopting.add(new.key)
        self._sets.follow(new.uid, _SetEvents(self, new.key))
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a Deployment whose spec or metadata has changed."""
        if not _differ(old, new):
            return
        self._selectors.put(new.key, _selector(new))
        self._queue.add(new.key)

    def deleted(self, old: Resource) -> None:
        """Removes a Deployment; its ReplicaSets are left to the garbage collector."""
        self._sets.unfollow(old.uid)
        self._selectors.drop(old.key)
        self._adopting.discard(old.key)
        self._settled.pop(old.key, None)

    def _orphan_seen(self, replica_set: Resource) -> None:
        for key in self._selectors.matching(replica_set.namespace, replica_set.labels):
            self._adopting.add(key)
            self._queue.add(key)

    def set_changed(self, key: Key, old: Resource | None, new: Resource | None) -> None:
        """Enqueues a Deployment one of whose ReplicaSets was created, changed or deleted."""
        if old is not None and new is None:
            self._templates.forget(old.uid)
        if old is None or new is None or self._context.observed or key not in self._settled or _differ(old, new):
            self._queue.add(key)

    # work

    def _sync(self, key: Key) -> None:
        deployment = self._store.find(DEPLOYMENT, *key)
        if deployment is None or self._selectors.of(key).is_empty:
            return
        draft = Draft(deployment)
        sets = self._claim(deployment)
        rollout = Rollout(self._context, draft, sets, self._templates)
        if deployment.deleted is not None:
            rollout.report()
        elif _are_same(self._settled.get(key), _parts(deployment, rollout.sets)):
            rollout.report_rollout()  # only statuses have changed, and nothing else was to be done
        else:
            self._advance(draft, rollout)
            if rollout.is_settled:
                self._settled[key] = _parts(draft.resource, rollout.sets)
        self._watch_progress(draft)

    def _advance(self, draft: Draft, rollout: Rollout) -> None:
        self._settled.pop(draft.resource.key, None)
        rollout.note_pause()
        if draft.paused or rollout.is_resized():
            rollout.resize()
        elif draft.rolling:
            rollout.roll()
        else:
            rollout.recreate()

    def _watch_progress(self, draft: Draft) -> None:
        after = next_progress_check(draft, self._context.clock.now)
        if after is not None:
            self._queue.add_after(draft.resource.key, after, background=True)

    def _claim(self, deployment: Resource) -> list[Resource]:
        """Returns the Deployment's ReplicaSets: releases those that no longer match, adopts matching orphans."""
        selector, claimed = self._selectors.of(deployment.key), []
        for each in self._sets.of(deployment.uid):
            if selector.matches(each.labels):
                claimed.append(each)
            elif each.deleted is None:
                release(self._context.client, deployment, each)
        if deployment.key in self._adopting and deployment.deleted is None:
            self._adopting.discard(deployment.key)
            orphans = [each for each in self._sets.orphans(deployment.namespace) if selector.matches(each.labels)]
            claimed += (adopt(self._context.client, deployment, each) for each in orphans if each.deleted is None)
        return claimed


class _SetEvents:
    def __init__(self, controller: Deployments, key: Key) -> None:
        self._changed = partial(controller.set_changed, key)

    def added(self, new: Resource) -> None:
        self._changed(None, new)

    def modified(self, old: Resource, new: Resource) -> None:
        self._changed(old, new)

    def deleted(self, old: Resource) -> None:
        self._changed(old, None)


def _differ(old: Resource, new: Resource) -> bool:
    """Tells whether two versions of an object differ in more than their status."""
    return old.manifest["spec"] is not new.manifest["spec"] or old.manifest["metadata"] is not new.manifest["metadata"]


def _parts(deployment: Resource, sets: Sequence[Resource]) -> list[Any]:
    """Returns a Deployment and its ReplicaSets without their statuses."""
    return [each.manifest[part] for each in (deployment, *sets) for part in ("spec", "metadata")]


def _are_same(before: list[Any] | None, now: list[Any]) -> bool:
    """Tells whether nothing was changed; versions share unchanged parts."""
    if before is None or len(before) != len(now):
        return False
    return all(one is other for one, other in zip(before, now, strict=True))


def _selector(deployment: Resource) -> LabelSelector:
    return LabelSelector.parse(deployment.manifest["spec"].get("selector"), path="spec.selector")
