from __future__ import annotations

from functools import partial

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import DAEMON_SET, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import FAILED, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.daemonsets.backoff import FailureBackoff
from wavetank.controllers.daemonsets.fleet import Fleet
from wavetank.controllers.daemonsets.place import (
    AVAILABLE,
    CREATE,
    CURRENT,
    DELETE,
    DESIRED,
    MISSCHEDULED,
    READY,
    UPDATED,
    Judge,
)
from wavetank.controllers.daemonsets.renewal import renewals
from wavetank.controllers.daemonsets.terms import Terms, pinned
from wavetank.controllers.daemonsets.versions import Revisions, Versions
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selecting import Selectors
from wavetank.controllers.workloads.adoption import adopt, release
from wavetank.controllers.workloads.podcontrol import PodControl

_COMPONENT = "daemonset-controller"
_BURST = 250  # pods that are created or deleted in one go


class DaemonSets:
    """The daemonset-controller: one pod on each node that suits, moved to a new template node by node."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._control = PodControl(context, _COMPONENT)
        self._versions = Versions(context)
        self._backoff = FailureBackoff()
        self._nodes: dict[str, Node] = {}
        self._terms: dict[Key, Terms] = {}
        self._fleets: dict[Key, Fleet] = {}
        self._hashes: dict[Key, str] = {}
        self._selectors = Selectors()
        self._adopting: set[Key] = set()  # those for whom there may be orphans
        self._store.subscribe(
            NODE, added=lambda new: self.node_seen(None, new), modified=self.node_seen, deleted=self.node_gone
        )
        self._nodes |= {node.name: node for node in self._store.list(NODE)}
        self._store.subscribe(DAEMON_SET, self)
        context.pods.follow_orphans(self._orphan_seen)
        for owner in self._store.list(DAEMON_SET):
            self.added(owner)

    # what the store tells

    def added(self, new: Resource) -> None:
        """Takes in a DaemonSet, with the pods that it has already."""
        self._selectors.put(new.key, _selector(new))
        self._adopting.add(new.key)
        fleet = self._fleets[new.key] = Fleet(partial(self._queue.add, new.key))
        self._renew(new)
        self._context.pods.follow(new.uid, fleet)
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Looks at a DaemonSet that somebody has changed, all but its status."""
        if new.manifest["spec"] is not old.manifest["spec"] or new.annotations != old.annotations:
            self._selectors.put(new.key, _selector(new))
            self._renew(new)
        self._terms[new.key].owner = new
        self._queue.add(new.key)

    def _renew(self, owner: Resource) -> None:
        terms = self._terms[owner.key] = Terms(owner, self._store.specs)
        self._fleets[owner.key].renew(terms, self._nodes)

    def deleted(self, old: Resource) -> None:
        """Forgets a DaemonSet; its pods are the garbage collector's."""
        self._context.pods.unfollow(old.uid)
        self._selectors.drop(old.key)
        self._adopting.discard(old.key)
        del self._terms[old.key], self._fleets[old.key]
        self._hashes.pop(old.key, None)

    def node_seen(self, old: Node | None, new: Node) -> None:
        """Takes in a node, or one whose labels or taints are others."""
        self._nodes[new.name] = new
        if old is None or old.labels != new.labels or old.taints != new.taints:
            for key, fleet in self._fleets.items():
                fleet.set_node(new.name, new, self._terms[key])

    def node_gone(self, old: Node) -> None:
        """Forgets a node."""
        del self._nodes[old.name]
        for key, fleet in self._fleets.items():
            fleet.set_node(old.name, None, self._terms[key])

    def _orphan_seen(self, pod: Pod) -> None:
        for key in self._selectors.matching(pod.namespace, pod.labels):
            self._adopting.add(key)
            self._queue.add(key)

    # work

    def _sync(self, key: Key) -> None:
        owner = self._store.find(DAEMON_SET, *key)
        if owner is None or key not in self._fleets or owner.deleted is not None or self._selectors.of(key).is_empty:
            return
        terms, fleet = self._terms[key], self._fleets[key]
        self._claim(owner)
        revisions = self._versions.of(terms, self._selectors.of(key))
        if self._hashes.get(key) != revisions.hash:
            self._hashes[key] = revisions.hash
            fleet.renew(terms, self._nodes)
        problem = self._advance(terms, fleet, revisions)
        self._judge(terms, fleet)
        self._write_status(owner.key, terms, fleet)
        if problem is not None:
            raise problem
        if fleet.matures is not None:
            self._queue.add_after(key, fleet.matures - self._context.clock.now)

    def _judge(self, terms: Terms, fleet: Fleet) -> None:
        now = self._context.clock.now
        fleet.judge(Judge(terms, self._hashes[terms.owner.key], now, self._context.ready_since), now)

    def _advance(self, terms: Terms, fleet: Fleet, revisions: Revisions) -> ApiError | None:
        """Creates and deletes pods; returns what the API had against it."""
        self._judge(terms, fleet)
        try:
            if not self._manage(terms, fleet, revisions.hash) and terms.rolling:
                doomed, nodes = renewals(terms, fleet)
                self._apply(terms, doomed, nodes, revisions.hash)
            self._versions.truncate(terms, revisions, lambda: fleet.hashes)
        except ApiError as error:
            return error
        return None

    def _manage(self, terms: Terms, fleet: Fleet, hash_: str) -> bool:
        """Makes pods where there are none and deletes those that are not to be; tells whether there was anything."""
        doomed = [pod for place in fleet.marked[DELETE].values() for pod in place.doomed if self._may_go(terms, pod)]
        nodes = list(fleet.marked[CREATE])
        self._apply(terms, doomed, nodes, hash_)
        return bool(doomed or nodes)

    def _apply(self, terms: Terms, doomed: list[Pod], nodes: list[str], hash_: str) -> None:
        mould = terms.mould(hash_)
        documents: list[Document] = [pinned(mould, name) for name in nodes[:_BURST]]
        self._control.create_in_batches(terms.owner, documents)
        for pod in doomed[:_BURST]:
            self._control.delete(terms.owner, pod)

    def _may_go(self, terms: Terms, pod: Pod) -> bool:
        """Tells whether a pod may be deleted now; one that has failed has to wait if others failed there before."""
        owner, where = terms.owner, f"daemon pod {pod.namespace}/{pod.name} on node {pod.node_name}"
        if pod.phase == SUCCEEDED:
            message = f"Found succeeded {where}, will try to delete it"
            self._context.tell(owner, "Normal", "SucceededDaemonPod", message, _COMPONENT)
        elif pod.phase == FAILED:
            observed = int((owner.manifest.get("status") or {}).get("observedGeneration") or 0)
            wait = self._backoff.remaining((owner.uid, observed, pod.node_name), self._context.clock.now)
            if wait:
                self._queue.add_after(owner.key, wait)
                return False
            message = f"Found failed {where}, will try to kill it"
            self._context.tell(owner, "Warning", "FailedDaemonPod", message, _COMPONENT)
        return True

    def _claim(self, owner: Resource) -> None:
        """Lets go of pods that it no longer selects, and takes those that nobody has."""
        selector, fleet = self._selectors.of(owner.key), self._fleets[owner.key]
        if owner.key not in self._adopting and not fleet.relabelled:
            return
        self._adopting.discard(owner.key)
        fleet.relabelled = False
        for pod in self._context.pods.of(owner.uid):
            if not selector.matches(pod.labels):
                release(self._context.client, owner, pod)
        for pod in self._context.pods.orphans(owner.namespace):
            if selector.matches(pod.labels) and pod.deleted is None:
                adopt(self._context.client, owner, pod)

    def _write_status(self, key: Key, terms: Terms, fleet: Fleet) -> None:
        present = self._store.find(DAEMON_SET, *key)
        if present is None:
            return
        counts, old = fleet.counts, present.manifest.get("status") or {}
        status: Document = {field: counts[field] for field in (CURRENT, MISSCHEDULED, DESIRED, READY)}
        status["observedGeneration"] = (present.manifest.get("metadata") or {}).get("generation") or 0
        unavailable = counts[DESIRED] - counts[AVAILABLE]
        optional = {UPDATED: counts[UPDATED], AVAILABLE: counts[AVAILABLE], "numberUnavailable": unavailable}
        status |= {field: number for field, number in optional.items() if number}
        status |= {field: old[field] for field in ("collisionCount", "conditions") if field in old}
        if status != old:
            self._context.client.update_status(present, status)


def _selector(owner: Resource) -> LabelSelector:
    return LabelSelector.parse(owner.manifest["spec"].get("selector"), path="spec.selector")
