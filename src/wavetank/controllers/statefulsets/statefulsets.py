from __future__ import annotations

from functools import partial
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import STATEFUL_SET
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectorindex import SelectorIndex
from wavetank.controllers.statefulsets import spec as sets
from wavetank.controllers.statefulsets.control import MemberControl
from wavetank.controllers.statefulsets.revisions import RevisionControl
from wavetank.controllers.statefulsets.step import Step
from wavetank.controllers.workloads.adoption import adopt, release
from wavetank.controllers.workloads.podchanges import PodChanges

_OPTIONAL = ("readyReplicas", "currentReplicas", "updatedReplicas")


class StatefulSets:
    """The statefulset-controller: numbered pods that keep their names and claims, in order or in parallel."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._control = MemberControl(context)
        self._versions = RevisionControl(context)
        self._selectors = SelectorIndex()
        self._adopting: set[Key] = set()  # sets that may have orphans to adopt
        self._settled: set[Key] = set()  # complete sets, if their status is not observed
        self._store.subscribe(STATEFUL_SET, self)
        context.pods.follow_orphans(self._orphan_seen)
        for owner in self._store.list(STATEFUL_SET):
            self.added(owner)

    # events

    def added(self, new: Resource) -> None:
        """Adds a set, with its existing pods."""
        self._selectors.put(new.key, _selector(new))
        self._adopting.add(new.key)
        changes = PodChanges(self._context, partial(self._queue.add, new.key), lambda: new.key in self._settled)
        self._context.pods.follow(new.uid, changes)
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a changed set; a complete rollout changes the status only."""
        self._selectors.put(new.key, _selector(new))
        self._queue.add(new.key)

    def deleted(self, old: Resource) -> None:
        """Removes a set; its pods are left to the garbage collector."""
        self._context.pods.unfollow(old.uid)
        self._selectors.drop(old.key)
        self._adopting.discard(old.key)
        self._settled.discard(old.key)

    def _orphan_seen(self, pod: Pod) -> None:
        for key in self._selectors.matching(pod.namespace, pod.labels):
            self._adopting.add(key)
            self._queue.add(key)

    # work

    def _sync(self, key: Key) -> None:
        owner = self._store.find(STATEFUL_SET, *key)
        if owner is None or key not in self._selectors:
            return
        pods = self._claim(owner)
        revisions = self._versions.of(owner, self._selectors.of(key))
        step = Step(self._context, self._control, owner, pods, revisions.current, revisions.update)
        problem = None
        try:
            step.take()
        except ApiError as error:
            problem = error
        if step.is_settled and not self._context.observed:
            self._settled.add(key)
        else:
            self._settled.discard(key)
        self._write_status(owner, step.counts, revisions.current.name, revisions.update.name, revisions.collisions)
        self._versions.truncate(owner, revisions, {pod.labels.get(sets.REVISION, "") for pod in pods})
        if problem is not None:
            raise problem
        self._wait_for_availability(owner, pods)

    def _claim(self, owner: Resource) -> list[Pod]:
        """Returns the set's pods: releases those that no longer match, adopts matching orphans."""
        selector, claimed = self._selectors.of(owner.key), []
        for pod in self._context.pods.of(owner.uid):
            if selector.matches(pod.labels) and sets.is_member(owner, pod):
                claimed.append(pod)
            elif owner.deleted is None:
                release(self._context.client, owner, pod)
        if owner.key in self._adopting and owner.deleted is None:
            self._adopting.discard(owner.key)
            for pod in self._context.pods.orphans(owner.namespace):
                if selector.matches(pod.labels) and sets.is_member(owner, pod) and pod.deleted is None:
                    adopted = adopt(self._context.client, owner, pod)
                    assert isinstance(adopted, Pod)
                    claimed.append(adopted)
        return claimed

    def _write_status(
        self, owner: Resource, counts: dict[str, int], current: str, update: str, collisions: int
    ) -> None:
        everything = (counts["updatedReplicas"], counts["readyReplicas"], counts["replicas"])
        if sets.is_rolling(owner) and everything == (sets.wanted(owner),) * 3:
            counts, current = {**counts, "currentReplicas": counts["updatedReplicas"]}, update
        generation = (owner.manifest.get("metadata") or {}).get("generation") or 0
        status: dict[str, Any] = {"observedGeneration": generation, "replicas": counts["replicas"]}
        status |= {field: counts[field] for field in _OPTIONAL if counts[field]}
        status |= {"currentRevision": current, "updateRevision": update, "collisionCount": collisions}
        status["availableReplicas"] = counts["availableReplicas"]
        if status != (owner.manifest.get("status") or {}):
            self._context.client.update_status(owner, status)

    def _wait_for_availability(self, owner: Resource, pods: list[Pod]) -> None:
        after, now = sets.min_ready(owner), self._context.clock.now
        if not after:
            return
        since = (self._context.ready_since(pod) for pod in pods)
        waits = [begun + after - now for begun in since if begun is not None and begun + after > now]
        if waits:
            self._queue.add_after(owner.key, min(waits))


def _selector(owner: Resource) -> LabelSelector:
    return LabelSelector.parse(owner.manifest["spec"].get("selector"), path="spec.selector")
