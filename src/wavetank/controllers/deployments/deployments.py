from __future__ import annotations

from functools import partial

from wavetank.cluster.resource import Resource
from wavetank.cluster.selectors import LabelSelector
from wavetank.controllers.deployments.draft import Draft
from wavetank.controllers.deployments.rollout import Rollout
from wavetank.controllers.deployments.sets import Templates
from wavetank.controllers.deployments.status import next_progress_check
from wavetank.controllers.frame.office import Office
from wavetank.controllers.frame.queue import Key
from wavetank.controllers.frame.selecting import Selectors
from wavetank.controllers.workloads.adoption import adopt, release

_TABLE, _SETS = "Deployment.apps", "ReplicaSet.apps"
_RETRIES = 15


class Deployments:
    """The deployment-controller: keeps a replica set for each version of a template, and moves pods to the newest."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._store = office.store
        self._queue = office.queue(self._sync, _RETRIES)
        self._sets = office.owned(_SETS)
        self._templates = Templates()
        self._selectors = Selectors()
        self._adopting: set[Key] = set()  # those for whom there may be orphans
        self._store.subscribe(_TABLE, self)
        self._sets.follow_orphans(self._orphan_seen)
        for deployment in self._store.list(_TABLE):
            self.added(deployment)

    # what the store tells

    def added(self, new: Resource) -> None:
        """Takes in a deployment, with the replica sets that it has already."""
        self._selectors.put(new.key, _selector(new))
        self._adopting.add(new.key)
        self._sets.follow(new.uid, _SetEvents(partial(self._queue.add, new.key), self._templates))
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Looks at a deployment that somebody has changed, all but its status."""
        if new.manifest["spec"] is old.manifest["spec"] and new.manifest["metadata"] is old.manifest["metadata"]:
            return
        self._selectors.put(new.key, _selector(new))
        self._queue.add(new.key)

    def deleted(self, old: Resource) -> None:
        """Forgets a deployment; its replica sets are the garbage collector's."""
        self._sets.unfollow(old.uid)
        self._selectors.drop(old.key)
        self._adopting.discard(old.key)

    def _orphan_seen(self, replica_set: Resource) -> None:
        for key in self._selectors.matching(replica_set.namespace, replica_set.labels):
            self._adopting.add(key)
            self._queue.add(key)

    # work

    def _sync(self, key: Key) -> None:
        deployment = self._store.find(_TABLE, *key)
        if deployment is None or self._selectors.of(key).is_empty:
            return
        draft = Draft(deployment)
        rollout = Rollout(self._office, draft, self._claim(deployment), self._templates)
        if deployment.deleted is not None:
            rollout.report()
            return
        rollout.note_pause()
        if draft.paused or rollout.is_resized():
            rollout.resize()
        elif draft.rolling:
            rollout.roll()
        else:
            rollout.recreate()
        after = next_progress_check(draft, self._office.clock.now)
        if after is not None:
            self._queue.add_after(key, after, background=True)

    def _claim(self, deployment: Resource) -> list[Resource]:
        """Returns the deployment's replica sets: lets go of those that it no longer selects, takes orphans."""
        selector, claimed = self._selectors.of(deployment.key), []
        for each in self._sets.of(deployment.uid):
            if selector.matches(each.labels):
                claimed.append(each)
            elif each.deleted is None:
                release(self._office.client, deployment, each)
        if deployment.key in self._adopting and deployment.deleted is None:
            self._adopting.discard(deployment.key)
            orphans = [each for each in self._sets.orphans(deployment.namespace) if selector.matches(each.labels)]
            claimed += (adopt(self._office.client, deployment, each) for each in orphans if each.deleted is None)
        return claimed


class _SetEvents:
    """Asks for a deployment to be looked at whenever something happens to one of its replica sets."""

    def __init__(self, changed: partial[None], templates: Templates) -> None:
        self._changed = changed
        self._templates = templates

    def added(self, new: Resource) -> None:
        self._changed()

    def modified(self, old: Resource, new: Resource) -> None:
        self._changed()

    def deleted(self, old: Resource) -> None:
        self._templates.forget(old.uid)
        self._changed()


def _selector(deployment: Resource) -> LabelSelector:
    return LabelSelector.parse(deployment.manifest["spec"].get("selector"), path="spec.selector")
