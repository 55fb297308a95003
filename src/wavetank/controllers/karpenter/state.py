"""What the provisioner knows of its nodes and the pods on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.pods import is_daemon_set_pod
from wavetank.controllers.karpenter.nodepools import NodePool, Option
from wavetank.kernel.durations import SECOND, Nanoseconds

_SAME_EVENT: Nanoseconds = 10 * SECOND  # events of pods within this time after a noted one are not noted
_STALE: Nanoseconds = 300 * SECOND  # after this time the cluster is looked at again although nothing changed


class ManagedNode:
    """A node of a pool, from its NodeClaim on. The node has the name of the claim.

    `initialized` is since when pods can use it; `marked`: a command has decided to delete it; `deleting`: its
    NodeClaim is deleted.
    """

    def __init__(self, name: str, pool: NodePool, option: Option, created: Nanoseconds) -> None:
        self.name = name
        self.pool = pool
        self.option = option
        self.created = created
        self.registered = False
        self.initialized: Nanoseconds | None = None
        self.last_pod_event: Nanoseconds | None = None
        self.nominated_until: Nanoseconds = 0
        self.marked = False
        self.deleting = False
        self.released = False  # drained, and its instance is being terminated

    @property
    def marked_for_deletion(self) -> bool:
        """Tells whether it is being deleted or about to be."""
        return self.marked or self.deleting

    def is_consolidatable(self, now: Nanoseconds) -> bool:
        """Tells whether no pod was bound or ended for its pool's consolidateAfter."""
        after = self.pool.consolidate_after
        if after is None or self.initialized is None:
            return False
        since = self.initialized if self.last_pod_event is None else self.last_pod_event
        return now - since >= after


class ClusterState:
    """The managed nodes, the pods on every node, and when something last changed that matters for consolidation."""

    def __init__(self, store: Store) -> None:
        self._clock = store.clock
        self._store = store
        self._changed: Nanoseconds = store.clock.now
        self.managed: dict[str, ManagedNode] = {}
        self.launched = 0  # instances so far
        self._pods: dict[str, dict[str, Pod]] = {}  # by node and uid, finished ones left out
        self.versions: Counter[str] = Counter()  # by node: how often its pods changed
        store.subscribe(POD, added=self._pod_added, modified=self._pod_modified, deleted=self._pod_deleted)
        for pod in store.list(POD):
            self._pod_added(pod)

    # reading

    def pods_on(self, node: str) -> Sequence[Pod]:
        """Returns the unfinished pods that are bound to a node."""
        return list(self._pods.get(node, {}).values())

    def active(self) -> Iterator[ManagedNode]:
        """Yields the managed nodes that will stay, with or without a Node yet."""
        return (each for each in self.managed.values() if not each.marked_for_deletion)

    def deleting(self) -> Iterator[ManagedNode]:
        """Yields the managed nodes that are being deleted."""
        return (each for each in self.managed.values() if each.marked_for_deletion)

    def node(self, name: str) -> Node | None:
        """Returns the Node of a managed node, if it is registered."""
        found = self._store.find(NODE, "", name)
        return found if isinstance(found, Node) else None

    # changing

    def mark_changed(self) -> None:
        """Notes that nodes may now be consolidated that could not be before."""
        self._changed = self._clock.now

    def consolidation_state(self) -> Nanoseconds:
        """Returns when something changed last; nothing stays unchanged for longer than five minutes."""
        if self._clock.now - self._changed >= _STALE:
            self._changed = self._clock.now
        return self._changed

    def nominate(self, names: Iterable[str], until: Nanoseconds) -> None:
        """Keeps nodes from being disrupted because pending pods are expected on them."""
        for name in names:
            if name in self.managed:
                self.managed[name].nominated_until = until

    # what the store tells

    def _pod_added(self, pod: Pod) -> None:
        if pod.node_name and not pod.finished:
            self.versions[pod.node_name] += 1
            self._pods.setdefault(pod.node_name, {})[pod.uid] = pod

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if not new.node_name:
            return
        self.versions[new.node_name] += 1
        if new.finished:
            self._pods.get(new.node_name, {}).pop(new.uid, None)
        else:
            self._pods.setdefault(new.node_name, {})[new.uid] = new
        if not old.node_name or (new.finished and not old.finished):
            self.mark_changed()
        elif old.deleted is not None or new.deleted is None:
            return
        self._note_event(new)

    def _pod_deleted(self, old: Pod) -> None:
        if old.node_name:
            self.versions[old.node_name] += 1
            self._pods.get(old.node_name, {}).pop(old.uid, None)
        self.mark_changed()

    def _note_event(self, pod: Pod) -> None:
        managed = self.managed.get(pod.node_name)
        if managed is None or is_daemon_set_pod(pod):
            return
        last, now = managed.last_pod_event, self._clock.now
        if last is None or now - last >= _SAME_EVENT:
            managed.last_pod_event = now
