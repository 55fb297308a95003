from __future__ import annotations

from collections.abc import Iterable
from copy import copy

import numpy as np

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.claims import ClaimTable
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.images import ImageTable
from wavetank.scheduling.framework.nodes.labelcolumns import LabelColumns
from wavetank.scheduling.framework.nodes.nodearrays import (
    ALLOCATABLE,
    MAX_PODS,
    NONZERO,
    PER_RESOURCE,
    POD_COUNT,
    REQUESTED,
    NodeArrays,
    add_amounts,
)
from wavetank.scheduling.framework.nodes.nodeorder import NodeOrder
from wavetank.scheduling.framework.nodes.nominator import Nominator
from wavetank.scheduling.framework.nodes.podindex import PodIndex
from wavetank.scheduling.framework.nodes.podlist import PodList
from wavetank.scheduling.framework.nodes.ports import PortTable
from wavetank.scheduling.framework.nodes.termindex import TermIndex
from wavetank.scheduling.framework.nodes.topology import TopologyTable

MAX_SPECS = 4096  # with cached arrays of their requests
Placement = tuple[Pod, int]  # a pod that is counted on a node: which version of it, and in which slot


class NodeTable(NodeArrays):
    """The scheduler's cache of nodes (upstream: NodeInfo, Snapshot), as arrays: a bind changes one slot only.

    A node keeps its *slot* (an index into the arrays) as long as it or a pod on it exists; the order in which the
    scheduler looks at nodes is `order`. The row of a resource is `rows[name]`: CPU in milli-CPU, memory in bytes,
    others as counted. A pod may be on a node that does not exist yet, or no longer: it is kept in the slot, and no
    cycle sees it.
    """

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}
        self.nodes: list[Node | None] = []
        self.pods: list[PodList] = []
        self.placements: dict[str, Placement] = {}
        self.rows = {CPU: 0, MEMORY: 1, EPHEMERAL_STORAGE: 2}
        super().__init__(len(self.rows))
        self.version = 0  # grows with every change, of nodes and of pods
        self.node_changes: list[int] = []  # slots whose node changed or was deleted, in order, for caches
        self.ports = PortTable()
        self.images = ImageTable()
        self.topologies = TopologyTable()
        self.index = PodIndex(self.placements)
        self.terms = TermIndex()
        self.claims = ClaimTable()
        self.nominator = Nominator()
        self.label_columns = LabelColumns()
        self._order = NodeOrder()
        self._known: BoundedCache[PodSpec, tuple[IntArray, bool]] = BoundedCache(MAX_SPECS)

    @property
    def order(self) -> IntArray:
        """Returns the slots of all nodes in kube-scheduler's order: zones in turn, by arrival inside a zone."""
        return self._order.slots()

    # nodes

    def set_node(self, node: Node) -> None:
        """Adds a node, or replaces it by its new version."""
        slot = self._slot(node.name)
        old = self.nodes[slot]
        self.nodes[slot] = node
        if self.changed[slot]:  # there may have been a node before
            self.allocatable[:, slot], self.max_pods[slot] = 0, 0
        new = [name for name in node.allocatable if name != PODS and name not in self.rows]
        if new:
            self._add_rows(new)
        for name, amount in node.allocatable.items():
            column = MAX_PODS if name == PODS else ALLOCATABLE + PER_RESOURCE * self.rows[name]
            self.cells[slot, column] = amount
        if node.load or (old is not None and old.load):
            self._set_load(slot, node)
        if node.images or (old is not None and old.images):
            self.images.set_node(slot, old, node)
        self._order.set(slot, old, node)
        self.topologies.set_node(slot, node)
        self._touch(slot)
        self.node_changes.append(slot)

    def _set_load(self, slot: int, node: Node) -> None:
        self.load[:, slot] = 0
        for name, amount in node.load.items():
            row = self._row(name)
            self.load[row, slot] = amount

    def remove_node(self, node: Node) -> None:
        """Removes a node; pods on it stay counted in its slot."""
        slot = self.slots[node.name]
        old = self.nodes[slot]
        if old is None:
            return
        self.nodes[slot] = None
        self._order.remove(slot, old)
        self.images.set_node(slot, old, None)
        self.topologies.set_node(slot, None)
        self._touch(slot)
        self.node_changes.append(slot)

    # pods

    def add_pod(self, pod: Pod, node_name: str) -> None:
        """Adds a pod to a node; a pod that is known already is replaced by this version."""
        if pod.uid in self.placements:
            self.remove_pod(pod.uid)
        slot = self._slot(node_name)
        self.placements[pod.uid] = (pod, slot)
        self.pods[slot].add(pod)
        self.count(pod, slot, 1)
        self._touch(slot)

    def remove_pod(self, uid: str) -> None:
        """Removes a pod from its node."""
        pod, slot = self.placements.pop(uid)
        self.pods[slot].remove(uid)
        self.count(pod, slot, -1)
        self._touch(slot)

    def confirm_pod(self, pod: Pod) -> None:
        """Adds a pod to the node that its version names; if it is counted there already, only the version changes."""
        placed = self.placements.get(pod.uid)
        if placed is None or placed[0].spec is not pod.spec or placed[1] != self.slots.get(pod.node_name):
            self.add_pod(pod, pod.node_name)
            return
        self._renew(pod, placed)

    def replace_pod(self, pod: Pod) -> None:
        """Keeps a new version of a pod whose spec and node are unchanged; cheaper than adding it again."""
        self._renew(pod, self.placements[pod.uid])

    def _renew(self, pod: Pod, placed: Placement) -> None:
        old, slot = placed
        self.placements[pod.uid] = (pod, slot)
        self.pods[slot].renew(pod)
        if old.deleted != pod.deleted or (old.labels is not pod.labels and old.labels != pod.labels):
            if self.index.in_use:
                self.index.add(old, slot, -1)
                self.index.add(pod, slot)
            self._touch(slot)

    def nominate(self, pod: Pod, node_name: str) -> None:
        """Nominates a pod to a node; an empty name ends its nomination."""
        if node_name or self.nominator.node_of(pod.uid):
            self.nominator.set(pod, node_name)
            self.version += 1

    def without_pods(self) -> NodeTable:
        """Returns a view of the nodes without their pods, and without image counts.

        Only what is counted per node is removed: the pods of a topology domain are still counted.
        """
        view = copy(self)
        view.empty()
        view.images, view.ports = ImageTable(), PortTable()
        return view

    def begin_cycle(self) -> None:
        """Updates what kube-scheduler copies only when it refreshes its snapshot of a node."""
        if self.images.outdated:
            self.images.refresh()

    def vector(self, amounts: Iterable[tuple[str, int]]) -> IntArray:
        """Returns amounts as one number per row."""
        given = dict(amounts)
        new = [name for name in given if name not in self.rows]
        if new:
            self._add_rows(new)
        vector = np.zeros(len(self.rows), np.int64)
        for name, amount in given.items():
            vector[self.rows[name]] = amount
        return vector

    def count(self, pod: Pod, slot: int, sign: int) -> None:
        """Adds a pod to the arrays of a node, or subtracts it: also for trials, which are undone."""
        spec = pod.spec
        amounts, is_plain = self._known.get(spec) or self._learn(spec)
        add_amounts(self.cells, slot, amounts, sign)
        if self.index.in_use:
            self.index.add(pod, slot, sign)
        if is_plain:
            return
        self.ports.add(spec.ports, slot, sign)
        if spec.pod_affinity:
            self.terms.add(pod, slot, sign)
        if spec.volumes:
            self.claims.add(pod, slot, sign)

    def amounts_of(self, spec: PodSpec) -> IntArray:
        """Returns what a pod of a spec adds to the row of its node."""
        return (self._known.get(spec) or self._learn(spec))[0]

    def add_amounts(self, slots: IntArray, amounts: IntArray) -> None:
        """Adds amounts to the rows of slots, which may repeat: for trials with many pods, which are undone."""
        np.add.at(self.cells, slots, amounts)
        self.version += 1
        self.changed[slots] = self.version

    def _learn(self, spec: PodSpec) -> tuple[IntArray, bool]:
        """Returns what pods of a spec add to the row of a node, and whether that is all they use of it."""
        requests = self.vector(spec.requests.items())
        amounts = np.zeros(self.cells.shape[1], np.int64)
        amounts[POD_COUNT] = 1
        amounts[NONZERO:ALLOCATABLE] = spec.nonzero_cpu, spec.nonzero_memory
        amounts[REQUESTED::PER_RESOURCE] = requests
        is_all = not (spec.ports or spec.pod_affinity or spec.volumes)
        return self._known.keep(spec, (amounts, is_all), spec.is_large)

    def _touch(self, slot: int) -> None:
        self.version += 1
        self.changed[slot] = self.version
        if not self.images.is_empty:
            self.images.touch(slot)

    def _slot(self, name: str) -> int:
        slot = self.slots.get(name)
        if slot is None:
            slot = self.slots[name] = len(self.nodes)
            self.nodes.append(None)
            self.pods.append(PodList())
            if slot >= len(self.cells):
                self.enlarge(max(16, 2 * slot), len(self.rows))
        return slot

    def _row(self, name: str) -> int:
        if name not in self.rows:
            self._add_rows([name])
        return self.rows[name]

    def _add_rows(self, names: Iterable[str]) -> None:
        for name in names:
            self.rows[name] = len(self.rows)
        self.enlarge(len(self.cells), len(self.rows))
