from __future__ import annotations

from functools import partial

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import DAEMON_SET, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import FAILED, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.daemonsets.backoff import FailureBackoff
from wavetank.controllers.daemonsets.nodestate import (
    AVAILABLE,
    CREATE,
    CURRENT,
    DELETE,
    DESIRED,
    MISSCHEDULED,
    READY,
    UPDATED,
    NodeEvaluator,
)
from wavetank.controllers.daemonsets.nodestates import NodeStates
from wavetank.controllers.daemonsets.revisions import RevisionControl, Revisions
from wavetank.controllers.daemonsets.rollingupdate import rolling_update
from wavetank.controllers.daemonsets.spec import DaemonSetSpec, pinned
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectorindex import SelectorIndex
from wavetank.controllers.workloads.adoption import adopt, release
from wavetank.controllers.workloads.podcontrol import PodControl

_COMPONENT = "daemonset-controller"
_BURST = 250  # pods that are created or deleted in one go


class DaemonSets:
    """The daemonset-controller: one pod on each matching node, updated to a new template node by node."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._control = PodControl(context, _COMPONENT)
        self._revisions = RevisionControl(context)
        self._backoff = FailureBackoff()
        self._nodes: dict[str, Node] = {}
        self._specs: dict[Key, DaemonSetSpec] = {}
        self._states: dict[Key, NodeStates] = {}
        self._selectors = SelectorIndex()
        self._adopting: set[Key] = set()  # DaemonSets that may have orphans to adopt
        self._store.subscribe(
            NODE, added=lambda new: self.node_seen(None, new), modified=self.node_seen, deleted=self.node_gone
        )
        self._nodes |= {node.name: node for node in self._store.list(NODE)}
        self._store.subscribe(DAEMON_SET, self)
        context.pods.follow_orphans(self._orphan_seen)
        for owner in self._store.list(DAEMON_SET):
            self.added(owner)

    # events

    def added(self, new: Resource) -> None:
        """Adds a DaemonSet, with its existing pods."""
        self._selectors.put(new.key, _selector(new))
        self._adopting.add(new.key)
        states = self._states[new.key] = NodeStates(partial(self._queue.add, new.key))
        self._update_spec(new)
        self._context.pods.follow(new.uid, states)
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a changed DaemonSet."""
        if new.manifest["spec"] is not old.manifest["spec"] or new.annotations != old.annotations:
            self._selectors.put(new.key, _selector(new))
            self._update_spec(new)
        self._specs[new.key].owner = new
        self._queue.add(new.key)

    def _update_spec(self, owner: Resource) -> None:
        spec = self._specs[owner.key] = DaemonSetSpec(owner)
        self._states[owner.key].update_spec(spec, self._nodes)

    def deleted(self, old: Resource) -> None:
        """Removes a DaemonSet; its pods are left to the garbage collector."""
        self._context.pods.unfollow(old.uid)
        self._selectors.drop(old.key)
        self._adopting.discard(old.key)
        del self._specs[old.key], self._states[old.key]

    def node_seen(self, old: Node | None, new: Node) -> None:
        """Adds a node, or updates one whose labels or taints have changed."""
        self._nodes[new.name] = new
        if old is None or old.labels != new.labels or old.taints != new.taints:
            for key, states in self._states.items():
                states.set_node(new.name, new, self._specs[key])

    def node_gone(self, old: Node) -> None:
        """Removes a node."""
        del self._nodes[old.name]
        for key, states in self._states.items():
            states.set_node(old.name, None, self._specs[key])

    def _orphan_seen(self, pod: Pod) -> None:
        for key in self._selectors.matching(pod.namespace, pod.labels):
            self._adopting.add(key)
            self._queue.add(key)

    # work

    def _sync(self, key: Key) -> None:
        owner = self._store.find(DAEMON_SET, *key)
        if owner is None or key not in self._states or owner.deleted is not None or self._selectors.of(key).is_empty:
            return
        spec, states, selector = self._specs[key], self._states[key], self._selectors.of(key)
        self._claim(owner, selector, states)
        revisions = self._revisions.of(spec, selector)
        if self._specs.get(key) is not spec:
            return  # it was changed or deleted meanwhile, and so below
        if states.hash != revisions.hash:
            states.hash = revisions.hash
            states.update_spec(spec, self._nodes)
        problem = self._advance(spec, states, revisions)
        if self._specs.get(key) is not spec:
            return
        self._evaluate(spec, states)
        self._write_status(owner.key, spec, states)
        if problem is not None:
            raise problem
        if states.available_at is not None:
            self._queue.add_after(key, states.available_at - self._context.clock.now)

    def _evaluate(self, spec: DaemonSetSpec, states: NodeStates) -> None:
        now = self._context.clock.now
        states.evaluate(NodeEvaluator(spec, states.hash, now, self._context.ready_since), now)

    def _advance(self, spec: DaemonSetSpec, states: NodeStates, revisions: Revisions) -> ApiError | None:
        """Creates and deletes pods; returns the error if the API refuses one."""
        self._evaluate(spec, states)
        try:
            if not self._manage(spec, states, revisions.hash) and spec.rolling:
                to_delete, nodes = rolling_update(spec, states)
                self._apply(spec, to_delete, nodes, revisions.hash)
            self._revisions.truncate(spec, revisions, lambda: states.hashes)
        except ApiError as error:
            return error
        return None

    def _manage(self, spec: DaemonSetSpec, states: NodeStates, hash_: str) -> bool:
        """Creates missing pods and deletes those that should not run; tells whether there were any."""
        candidates = [pod for state in states.marked[DELETE].values() for pod in state.to_delete]
        to_delete = [pod for pod in candidates if self._can_delete(spec, pod)]
        nodes = list(states.marked[CREATE])
        self._apply(spec, to_delete, nodes, hash_)
        return bool(to_delete or nodes)

    def _apply(self, spec: DaemonSetSpec, to_delete: list[Pod], nodes: list[str], hash_: str) -> None:
        pod_template = spec.pod_template(hash_)
        documents: list[Document] = [pinned(pod_template, name) for name in nodes[:_BURST]]
        self._control.create_in_batches(spec.owner, documents)
        for pod in to_delete[:_BURST]:
            self._control.delete(spec.owner, pod)

    def _can_delete(self, spec: DaemonSetSpec, pod: Pod) -> bool:
        """Tells whether a pod can be deleted now; a failed pod may have to wait for its back-off."""
        owner, where = spec.owner, f"daemon pod {pod.namespace}/{pod.name} on node {pod.node_name}"
        if pod.phase == SUCCEEDED:
            message = f"Found succeeded {where}, will try to delete it"
            self._context.record_event(owner, "Normal", "SucceededDaemonPod", message, _COMPONENT)
        elif pod.phase == FAILED:
            observed = int((owner.manifest.get("status") or {}).get("observedGeneration") or 0)
            wait = self._backoff.remaining((owner.uid, observed, pod.node_name), self._context.clock.now)
            if wait:
                self._queue.add_after(owner.key, wait)
                return False
            message = f"Found failed {where}, will try to kill it"
            self._context.record_event(owner, "Warning", "FailedDaemonPod", message, _COMPONENT)
        return True

    def _claim(self, owner: Resource, selector: LabelSelector, states: NodeStates) -> None:
        """Releases pods that no longer match the selector, and adopts matching orphans."""
        if owner.key not in self._adopting and not states.relabelled:
            return
        self._adopting.discard(owner.key)
        states.relabelled = False
        for pod in self._context.pods.of(owner.uid):
            if not selector.matches(pod.labels):
                release(self._context.client, owner, pod)
        for pod in self._context.pods.orphans(owner.namespace):
            if selector.matches(pod.labels) and pod.deleted is None:
                adopt(self._context.client, owner, pod)

    def _write_status(self, key: Key, spec: DaemonSetSpec, states: NodeStates) -> None:
        present = self._store.find(DAEMON_SET, *key)
        if present is None:
            return
        counts, old = states.counts, present.manifest.get("status") or {}
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
