"""The topologies of flavors, with their nodes and what is used of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.kueue import PREFERRED_TOPOLOGY, REQUIRED_TOPOLOGY, UNCONSTRAINED_TOPOLOGY
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.kueue.objects.clusterqueues import FlavorSpec
from wavetank.controllers.kueue.objects.topologies import TopologySpec
from wavetank.controllers.kueue.topology.domains import DomainTree, count_in
from wavetank.controllers.kueue.topology.placement import Assumed, PlacementSearch, assume
from wavetank.controllers.kueue.topology.requests import (
    DomainUsage,
    Placement,
    PlacementRequest,
    Values,
)
from wavetank.kernel.clock import Timer
from wavetank.kernel.durations import SECOND, Nanoseconds

_BATCH: Nanoseconds = SECOND  # changes of nodes are collected for so long before workloads are tried again


def is_placed(pod: Pod) -> bool:
    """Tells whether a pod gets its domain from Kueue."""
    asked = pod.annotations
    return REQUIRED_TOPOLOGY in asked or PREFERRED_TOPOLOGY in asked or UNCONSTRAINED_TOPOLOGY in asked


class Topologies:
    """The capacity of the domains of all flavors with a topology.

    `changed` is called when it has changed, `nodes_changed` some time after nodes have: then workloads that were tried
    in vain may fit. Nodes and pods are followed from the first such flavor on. `version` differs after every change.
    """

    def __init__(self, store: Store, changed: Callable[[], None], nodes_changed: Callable[[], None]) -> None:
        self._store = store
        self._changed = changed
        self._nodes_changed = nodes_changed
        self._specs: dict[str, TopologySpec] = {}
        self._flavors: dict[str, FlavorSpec] = {}
        self._trees: dict[str, DomainTree] = {}  # by flavor, as long as no node changes
        self._usage: dict[str, dict[Values, dict[str, int]]] = {}  # of workloads, by flavor and domain
        self._others: dict[str, tuple[str, Amounts]] = {}  # pods of others: node and requests, by uid
        self._timer: Timer | None = None
        self.is_used = False  # whether any flavor has a topology
        self.version = 0

    # objects

    def put(self, spec: TopologySpec) -> None:
        """Adds a Topology."""
        self._specs[spec.name] = spec
        self._reset()

    def drop(self, name: str) -> None:
        """Removes a Topology."""
        self._specs.pop(name, None)
        self._reset()

    def put_flavor(self, flavor: FlavorSpec) -> None:
        """Adds or changes a flavor."""
        self._flavors.pop(flavor.name, None)
        if flavor.topology:
            self._flavors[flavor.name] = flavor
            self._follow()
        self._reset()

    def drop_flavor(self, name: str) -> None:
        """Removes a flavor."""
        self._flavors.pop(name, None)
        self._reset()

    def problems(self, flavors: Iterable[str]) -> list[tuple[str, str]]:
        """Returns reason and message for each of these flavors whose Topology does not exist."""
        missing = [each for each in sorted(flavors) if each in self._flavors and self._levels(each) is None]
        said = 'there is no Topology "{}" for TAS flavor "{}"'
        return [("TopologyNotFound", said.format(self._flavors[each].topology, each)) for each in missing]

    def _levels(self, flavor: str) -> tuple[str, ...] | None:
        known = self._flavors.get(flavor)
        spec = None if known is None else self._specs.get(known.topology)
        return None if spec is None else spec.levels

    # what the scheduler asks

    def is_only(self, flavors: Iterable[str]) -> bool:
        """Tells whether there are flavors and all of them have a topology: then all pods get domains."""
        return bool(self._flavors) and all(each in self._flavors for each in flavors)

    def has_level(self, flavor: str, level: str) -> bool:
        """Tells whether the topology of a flavor has a level; empty: any."""
        levels = self._levels(flavor)
        return levels is not None and (not level or level in levels)

    def find(
        self, flavor: str, requests: Iterable[PlacementRequest], empty: bool = False
    ) -> tuple[list[Placement], str]:
        """Returns domains for pods of a workload, one request after the other, and why the next one has none.

        `empty`: as if no other workload were there.
        """
        spec = self._flavors[flavor]
        search = PlacementSearch(self._tree(flavor), spec.topology, spec.tolerations)
        found: list[Placement] = []
        assumed: Assumed = {}
        for request in requests:
            placement = search.find(request, empty, assumed)
            if isinstance(placement, str):
                return found, placement
            assume(assumed, request, placement)
            found.append(placement)
        return found, ""

    def fits(self, usage: Iterable[DomainUsage]) -> bool:
        """Tells whether each of these domains has room for its pods."""
        for each in usage:
            leaf = self._tree(each.flavor).leaves.get(each.values)
            if leaf is None or count_in(each.requests, leaf.remaining())[0] < each.pods:
                return False
        return True

    # what workloads use

    def add(self, usage: Sequence[DomainUsage]) -> None:
        """Counts what a workload uses."""
        self._shift(usage, 1)

    def remove(self, usage: Sequence[DomainUsage]) -> None:
        """Takes it away again."""
        self._shift(usage, -1)

    def _shift(self, usage: Sequence[DomainUsage], sign: int) -> None:
        for each in usage:
            total = each.total
            used = self._usage.setdefault(each.flavor, {}).setdefault(each.values, {})
            for name, amount in total.items():
                used[name] = used.get(name, 0) + sign * amount
            tree = self._trees.get(each.flavor)
            if tree is not None:
                tree.occupy(each.values, total, sign)

    def touch(self) -> None:
        """Says that the usage has changed for good."""
        self.version += 1

    # nodes and pods of others

    def _tree(self, flavor: str) -> DomainTree:
        tree = self._trees.get(flavor)
        if tree is None:
            tree = self._trees[flavor] = self._build(flavor)
        return tree

    def _build(self, flavor: str) -> DomainTree:
        spec, levels = self._flavors[flavor], self._levels(flavor)
        assert levels is not None
        nodes = (node for node in self._store.list(NODE) if isinstance(node, Node) and _is_of(node, spec, levels))
        tree = DomainTree(levels, nodes)
        for values, total in self._usage.get(flavor, {}).items():
            tree.occupy(values, total)
        for node, requests in self._others.values():
            tree.reduce(node, requests)
        return tree

    def _reset(self) -> None:
        self._trees.clear()
        self._touch()

    def _touch(self) -> None:
        self.version += 1
        self._changed()

    def _follow(self) -> None:
        if self.is_used:
            return
        self.is_used = True
        self._store.subscribe(NODE, added=self._node_changed, modified=self._node_modified, deleted=self._node_changed)
        self._store.subscribe(POD, added=self._pod_changed, modified=self._pod_modified, deleted=self._pod_deleted)
        for pod in self._store.list(POD):
            self._pod_changed(pod)

    def _node_modified(self, old: Node, new: Node) -> None:
        if _facts(old) != _facts(new):
            self._node_changed(new, old)

    def _node_changed(self, *versions: Node) -> None:
        levels = {name: self._levels(name) for name in self._flavors}
        of_flavors = (
            _has_labels(node, self._flavors[name], found)
            for node in versions
            for name, found in levels.items()
            if found is not None
        )
        if any(of_flavors):
            self._reset()
            if self._timer is None:
                self._timer = self._store.clock.after(_BATCH, self._end_batch)

    def _end_batch(self) -> None:
        self._timer = None
        self._nodes_changed()

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if old.node_name != new.node_name or old.finished != new.finished or old.spec is not new.spec:
            self._pod_changed(new)

    def _pod_changed(self, pod: Pod) -> None:
        before = self._others.pop(pod.uid, None)
        after = None
        if pod.node_name and not pod.finished and not is_placed(pod):
            after = self._others[pod.uid] = (pod.node_name, pod.spec.requests)
        self._replace(before, after)

    def _pod_deleted(self, old: Pod) -> None:
        self._replace(self._others.pop(old.uid, None), None)

    def _replace(self, before: tuple[str, Amounts] | None, after: tuple[str, Amounts] | None) -> None:
        touched = False
        for tree in self._trees.values():
            touched = (before is not None and tree.reduce(*before, -1)) or touched
            touched = (after is not None and tree.reduce(*after)) or touched
        if touched:
            self._touch()


def _facts(node: Node) -> object:
    return node.labels, node.taints, node.unschedulable, node.ready, node.allocatable


def _has_labels(node: Node, flavor: FlavorSpec, levels: tuple[str, ...]) -> bool:
    same = all(node.labels.get(name) == value for name, value in flavor.labels.items())
    return same and all(level in node.labels for level in levels)


def _is_of(node: Node, flavor: FlavorSpec, levels: tuple[str, ...]) -> bool:
    return node.ready and not node.unschedulable and _has_labels(node, flavor, levels)
