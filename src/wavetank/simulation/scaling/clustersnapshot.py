"""The autoscaler's copy of the cluster: a node table of its own, with the filters of the default profile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from random import Random

import numpy as np

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.clustersnapshot import Misfit, Removal
from wavetank.controllers.framework.pods import unbound
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.listers import TABLES, Listers
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.registry import Handle, build_frameworks
from wavetank.simulation.scaling.noderemovals import NodeRemoval, RepeatedRemovals, is_plain
from wavetank.simulation.scaling.nodering import NodeRing

_Undo = Callable[[], None]
_FEW = 64  # candidates that are looked up one by one
_FIRST = 64  # candidates of a search that are filtered before all others


class SchedulerSnapshot:
    """Implements the autoscaler's ClusterSnapshot on the scheduling framework.

    It follows the nodes and the bound pods of a store; pods of a priority below `cutoff` are left out. Changes of the
    store are noted when they happen and applied by `refresh`. The first search after it shuffles the nodes: the real
    snapshot is a map, in which they have no order.
    """

    def __init__(self, context: ActorContext, cutoff: int, draws: Random) -> None:
        listers = Listers()
        handle = Handle(context.version, listers, Random(0))
        self._framework = build_frameworks(default_configuration(context.version), handle)[0]
        self._table = NodeTable()
        self._table.index.use()
        self._cutoff = cutoff
        self._draws = draws
        self._ring = NodeRing()
        self._shuffled = False
        self._last = 0  # where the next search begins
        self._undo: list[_Undo] = []
        self._forks: list[int] = []
        self._changed_pods: dict[str, Pod | None] = {}
        self._changed_nodes: dict[str, Node | None] = {}
        self._touched: dict[str, None] = {}
        self._stamps: dict[str, int] = {}  # by node
        self._node_stamps: IntArray = np.zeros(16, np.int64)  # by slot, of the node itself without its pods
        self._next_stamp = count(1)
        self._repeated: RepeatedRemovals | None = None
        self._follow(context, listers)

    def _follow(self, context: ActorContext, listers: Listers) -> None:
        store = context.store
        for table in TABLES:
            store.subscribe(
                table, added=listers.set, modified=lambda old, new: listers.set(new), deleted=listers.remove
            )
            for resource in store.list(table):
                listers.set(resource)
        store.subscribe(
            NODE, added=self._node_set, modified=lambda old, new: self._node_set(new), deleted=self._node_gone
        )
        store.subscribe(POD, added=self._pod_set, modified=self._pod_modified, deleted=self._pod_gone)
        for node in store.list(NODE):
            self._node_set(node)
        for pod in store.list(POD):
            self._pod_set(pod)

    # what the store tells

    def _node_set(self, new: Node) -> None:
        self._changed_nodes[new.name] = new

    def _node_gone(self, old: Node) -> None:
        self._changed_nodes[old.name] = None

    def _pod_set(self, new: Pod) -> None:
        if new.node_name and new.priority >= self._cutoff:
            self._changed_pods[new.uid] = None if new.finished else new

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if new.node_name:
            self._pod_set(new)

    def _pod_gone(self, old: Pod) -> None:
        if old.node_name:
            self._changed_pods[old.uid] = None

    def refresh(self) -> None:
        """Applies the changes of the store."""
        assert not self._forks
        nodes, self._changed_nodes = self._changed_nodes, {}
        pods, self._changed_pods = self._changed_pods, {}
        for name, node in nodes.items():
            self._apply_node(name, node)
        for uid, pod in pods.items():
            if pod is not None:
                self._table.confirm_pod(pod)
                self._touch(pod.node_name)
            elif uid in self._table.placements:
                self._forget_pod(uid)
        self._shuffled = False

    def _apply_node(self, name: str, node: Node | None) -> None:
        if node is not None:
            self._set_node(node)
        elif (old := self.node(name)) is not None:
            self._drop(old)

    def _set_node(self, node: Node, stamp: int = 0) -> None:
        """Adds a node, or its new version; `stamp` is that of a node that comes back."""
        self._table.set_node(node)
        slot = self._table.slots[node.name]
        self._ring.set(slot, node)
        self._touch(node.name)
        if slot >= len(self._node_stamps):
            self._node_stamps = np.pad(self._node_stamps, (0, slot + 1))
        self._node_stamps[slot] = stamp or self._stamps[node.name]

    def _drop(self, node: Node) -> None:
        slot = self._table.slots[node.name]
        self._ring.remove(slot)
        self._table.remove_node(node)
        self._touch(node.name)
        self._node_stamps[slot] = 0

    def _touch(self, name: str) -> None:
        self._touched[name] = None
        self._stamps[name] = next(self._next_stamp)

    # forks

    def fork(self) -> None:
        """Begins changes that can be undone."""
        self._forks.append(len(self._undo))

    def revert(self) -> None:
        """Undoes all changes since the last fork."""
        start = self._forks.pop()
        while len(self._undo) > start:
            self._undo.pop()()

    def commit(self) -> None:
        """Joins the changes since the last fork with those before it."""
        self._forks.pop()

    # reading

    def node_names(self) -> Sequence[str]:
        """Returns the names of all nodes."""
        nodes = self._table.nodes
        return [node.name for slot in self._ring.slots().tolist() if (node := nodes[slot]) is not None]

    def node(self, name: str) -> Node | None:
        """Returns a node, or None."""
        slot = self._table.slots.get(name)
        return None if slot is None else self._table.nodes[slot]

    def pods_on(self, name: str) -> Sequence[Pod]:
        """Returns the pods on a node."""
        slot = self._table.slots.get(name)
        pods = [] if slot is None else self._table.pods[slot].all()
        return pods if self._repeated is None else pods + self._repeated.moved_to(name)

    def stamp(self, name: str) -> int:
        """Returns a number that stays the same as long as a node and its pods do, and comes back if they do.

        0 for a node that is not there, or to which pods moved by repeated removals.
        """
        moved = self._repeated is not None and self._repeated.moved_to(name)
        return 0 if moved else self._stamps.get(name, 0)

    def take_touched(self) -> Collection[str]:
        """Returns the nodes that changed, or whose pods did, since the last call; changes that were undone count."""
        touched, self._touched = self._touched, {}
        return touched

    # changing

    def add_node(self, node: Node, pods: Sequence[Pod] = ()) -> None:
        """Adds a node with pods on it."""
        stamp = self._stamps.get(node.name, 0)
        self._set_node(node)
        self._undo.append(lambda: self._restore(node.name, stamp, lambda: self._drop(node)))
        for pod in pods:
            self.add_pod(pod, node.name)

    def remove_node(self, name: str) -> None:
        """Removes a node and the pods on it."""
        for pod in self.pods_on(name):
            self.remove_pod(pod)
        node, stamp = self.node(name), self._stamps[name]
        assert node is not None
        own = int(self._node_stamps[self._table.slots[name]])
        self._drop(node)
        self._undo.append(lambda: self._restore(name, stamp, lambda: self._set_node(node, own)))

    def add_pod(self, pod: Pod, node_name: str) -> None:
        """Puts a pod on a node; one that is on a node already moves."""
        if pod.uid in self._table.placements:
            self.remove_pod(pod)
        stamp = self._stamps.get(node_name, 0)
        self._table.add_pod(pod, node_name)
        self._touch(node_name)
        self._undo.append(lambda: self._restore(node_name, stamp, lambda: self._table.remove_pod(pod.uid)))

    def remove_pod(self, pod: Pod) -> None:
        """Takes a pod from its node."""
        present, slot = self._table.placements[pod.uid]
        node = self._table.nodes[slot]
        name = present.node_name if node is None else node.name
        stamp, place = self._stamps.get(name, 0), self._table.pods[slot].place_of(pod.uid)
        self._forget_pod(pod.uid)
        self._undo.append(lambda: self._restore(name, stamp, lambda: self._put_back(present, name, place)))

    def _put_back(self, pod: Pod, node_name: str, place: int) -> None:
        self._table.add_pod(pod, node_name)
        self._table.pods[self._table.slots[node_name]].move_last(place)

    def _restore(self, name: str, stamp: int, change: _Undo) -> None:
        change()
        self._touched[name] = None
        self._stamps[name] = stamp

    def _forget_pod(self, uid: str) -> None:
        _, slot = self._table.placements[uid]
        node = self._table.nodes[slot]
        if node is not None:
            self._touch(node.name)
        self._table.remove_pod(uid)

    # removals that were simulated before

    def note_removal(self, name: str, stamp: int, moves: Sequence[tuple[Pod, str]]) -> NodeRemoval | None:
        """Returns a removal to repeat; None if more than requests and nodes decided where its pods fit."""
        if not stamp or not all(is_plain(pod.spec) for pod, _ in moves):
            return None
        slots = np.array([self._table.slots[node] for _, node in moves], np.int64)
        amounts = [self._table.amounts_of(pod.spec) for pod, _ in moves]
        return NodeRemoval(
            name,
            stamp,
            tuple(pod for pod, _ in moves),
            tuple(node for _, node in moves),
            frozenset(node for _, node in moves),
            slots,
            self._node_stamps[slots],
            np.array(amounts, np.int64).reshape(len(moves), self._table.cells.shape[1]),
        )

    def repeat_removals(self, removals: Sequence[Removal]) -> list[bool]:
        """Repeats removals that are possible as they were: their pods stay in place, but count elsewhere as well."""
        if self._repeated is not None or not self._table.terms.is_empty or not self._table.nominator.is_empty:
            return [False] * len(removals)
        noted = [each for each in removals if isinstance(each, NodeRemoval)]
        same = [each for each in noted if self._stamps.get(each.node) == each.stamp]
        repeated = RepeatedRemovals(self._table, self._node_stamps, same)
        self._count_repeated(repeated, 1)
        self._undo.append(lambda: self._count_repeated(repeated, -1))
        done: set[Removal] = set(repeated.removals)
        return [each in done for each in removals]

    def _count_repeated(self, repeated: RepeatedRemovals, sign: int) -> None:
        repeated.count(self._table, sign)
        self._repeated = repeated if sign > 0 else None

    def _carry_out_repeated(self) -> None:
        """Moves the pods of repeated removals one by one, as filters must see them that count other pods."""
        repeated = self._repeated
        assert repeated is not None
        self._count_repeated(repeated, -1)
        self._undo.append(lambda: self._count_repeated(repeated, 1))
        for each in repeated.removals:
            present = self._table.pods[self._table.slots[each.node]]
            moves = [
                (pod, slot) for pod, slot in zip(each.pods, each.slots.tolist(), strict=True) if pod.uid in present
            ]
            self.remove_node(each.node)
            for pod, slot in moves:
                node = self._table.nodes[slot]
                if node is not None:
                    self.add_pod(unbound(pod), node.name)

    # fitting

    def misfit(self, pod: Pod, node_name: str) -> Misfit | None:
        """Returns why a pod does not fit a node, or None if it does."""
        slot = self._table.slots[node_name]
        cycle = self._begin_cycle(pod)
        outcome = Outcome()
        names, narrowing = cycle.pre_filter(outcome)
        if outcome.pre_filter is not None:
            return Misfit(min(outcome.rejectors), (outcome.pre_filter.text,))
        if names is not None and node_name not in names:
            return Misfit(", ".join(sorted(narrowing)), ())
        cycle.filter(outcome, np.array([slot]))
        if len(outcome.feasible):
            return None
        index, code = int(outcome.refused_by[0]), int(outcome.codes[0])
        plugin = self._framework.rejecting_filters[index - 1]
        return Misfit(plugin.name, tuple(reason.text for reason in plugin.reasons(cycle, code)))

    def find_node(self, pod: Pod, among: Collection[str] | None = None, excluding: str = "") -> str:
        """Returns the first node that a pod fits, from the one after the last found on, or an empty string."""
        candidates = self._candidates(among)
        if not len(candidates):
            return ""
        cycle = self._begin_cycle(pod)
        outcome = Outcome()
        names, _ = cycle.pre_filter(outcome)
        if outcome.pre_filter is not None:
            return ""
        if names is not None:
            allowed = [self._table.slots[name] for name in names if name in self._table.slots]
            candidates = candidates[np.isin(candidates, allowed)]
        for slot in _feasible(cycle, outcome, candidates):
            name = cycle.name_of(slot)
            if name != excluding and (among is None or name in among):
                self._last = self._ring.after(slot)
                return name
        return ""

    def _begin_cycle(self, pod: Pod) -> Cycle:
        if self._repeated is not None and not is_plain(pod.spec):
            self._carry_out_repeated()
        self._table.begin_cycle()
        return Cycle(self._framework, self._table, pod)

    def _candidates(self, among: Collection[str] | None) -> IntArray:
        """Returns the slots to search, in order; some may be outside `among`."""
        if not self._shuffled:
            self._shuffled = True
            self._ring.shuffle(self._draws)
        ring = self._ring.schedulable(self._last)
        if among is None or len(among) > _FEW:
            return ring
        slots = self._table.slots
        return ring[np.isin(ring, [slots[name] for name in among if name in slots])]


def _feasible(cycle: Cycle, outcome: Outcome, candidates: IntArray) -> Iterator[int]:
    """Yields the candidates that a pod fits, in order; the first ones are looked at alone, as they may be enough."""
    start, end = 0, _FIRST
    while start < len(candidates):
        cycle.filter(outcome, candidates[start:end])
        yield from outcome.feasible.tolist()
        start, end = end, len(candidates)
