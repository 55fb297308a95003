"""The nodes that pools may launch, as nodes of a snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from wavetank.cluster.fields.resources import PODS, Amounts
from wavetank.cluster.objects.groupkinds import DAEMON_SET
from wavetank.cluster.objects.karpenter import ZONE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.daemonpods import daemon_pod
from wavetank.controllers.karpenter.nodepools import NODES, NodePool, Option
from wavetank.controllers.karpenter.snapshot import ProvisioningSnapshot

Mask = npt.NDArray[np.bool_]
Vector = npt.NDArray[np.int64]

_RESOURCES = "NodeResourcesFit"  # a DaemonSet's pod that does not fit for lack of resources is counted all the same


class PoolOptions:
    """All options of one pool, in arrays: the row of an option is its place in `pool.options`."""

    def __init__(self, pool: NodePool, resources: Mapping[str, int]) -> None:
        self.pool = pool
        self.names = [f"template-{pool.name}-{i}" for i in range(len(pool.options))]
        self.nodes = [
            pool.node(option, name, ready=True) for option, name in zip(pool.options, self.names, strict=True)
        ]
        self.daemons: list[tuple[Pod, ...]] = [()] * len(pool.options)
        self.free = np.array([vector(option.type.allocatable, resources) for option in pool.options], np.int64)
        self.capacity = np.array(
            [[{**option.type.capacity, NODES: 1}.get(name, 0) for name in pool.limits] for option in pool.options],
            np.int64,
        )
        self._allocatable = self.free
        self._rows = {id(option): row for row, option in enumerate(pool.options)}
        zones = sorted(set(self.values(ZONE)))
        self._orders = [self._order([*zones[i:], *zones[:i]]) for i in range(len(zones))]

    def row(self, option: Option) -> int:
        """Returns the row of an option."""
        return self._rows[id(option)]

    def set_daemons(self, daemons: list[tuple[Pod, ...]], resources: Mapping[str, int]) -> None:
        """Keeps the pods of DaemonSets that each option would run, and what remains beside them."""
        self.daemons = daemons
        taken = np.array(
            [sum((requests_of(pod, resources) for pod in pods), 0 * self._allocatable[0]) for pods in daemons]
        )
        self.free = self._allocatable - taken

    def values(self, key: str) -> list[str]:
        """Returns the label of each option."""
        return [option.labels.get(key, "") for option in self.pool.options]

    def order(self, turn: int) -> list[int]:
        """Returns the rows by price, then in the order of the pool; zones of equal price take turns."""
        return self._orders[turn % len(self._orders)]

    def _order(self, zones: Sequence[str]) -> list[int]:
        types = {kind.name: i for i, kind in enumerate(self.pool.instance_types)}
        options = self.pool.options

        def key(row: int) -> tuple[float, int, int]:
            option = options[row]
            return option.price, types[option.type.name], zones.index(option.offering.zone)

        return sorted(range(len(options)), key=key)


class OptionCatalog:
    """The options of all pools, the pools in the order in which they are tried."""

    def __init__(self, pools: Sequence[NodePool], store: Store) -> None:
        self._store = store
        amounts = [option.type.allocatable for pool in pools for option in pool.options]
        self.resources = {name: i for i, name in enumerate(dict.fromkeys(name for each in amounts for name in each))}
        self.pools = [PoolOptions(pool, self.resources) for pool in pools]
        self.names = frozenset(name for each in self.pools for name in each.names)
        self._by_pool = {id(each.pool): each for each in self.pools}
        self._daemon_sets: list[object] | None = None

    def of(self, pool: NodePool) -> PoolOptions:
        """Returns the options of a pool."""
        return self._by_pool[id(pool)]

    def daemons_of(self, pool: NodePool, option: Option) -> tuple[Pod, ...]:
        """Returns the pods of DaemonSets that a node will have."""
        options = self.of(pool)
        return options.daemons[options.row(option)]

    def refresh(self, snapshot: ProvisioningSnapshot) -> None:
        """Keeps one node for each option in the snapshot, with the pods of DaemonSets that it would run."""
        daemon_sets = list(self._store.list(DAEMON_SET))
        specs: list[object] = [(each.uid, each.manifest.get("spec")) for each in daemon_sets]
        if specs == self._daemon_sets:
            return
        for name in self.names if self._daemon_sets is not None else ():
            snapshot.remove_node(name)
        self._daemon_sets = specs
        pods = [daemon_pod(each, self._store.specs) for each in daemon_sets]
        for options in self.pools:
            options.set_daemons(self._daemons(options, pods, snapshot), self.resources)
            for node, daemons in zip(options.nodes, options.daemons, strict=True):
                snapshot.add_node(node, own_daemons(daemons, node))

    def _daemons(
        self, options: PoolOptions, pods: Sequence[Pod], snapshot: ProvisioningSnapshot
    ) -> list[tuple[Pod, ...]]:
        snapshot.fork()
        for node in options.nodes:
            snapshot.add_node(node)
        answers = [snapshot.refusals(pod, options.names) for pod in pods]
        snapshot.revert()
        return [
            tuple(pod for pod, found in zip(pods, answers, strict=True) if found[row] in ("", _RESOURCES))
            for row in range(len(options.names))
        ]


def vector(amounts: Amounts, resources: Mapping[str, int]) -> list[int]:
    """Returns amounts as one number per resource."""
    return [amounts.get(name, 0) for name in resources]


def requests_of(pod: Pod, resources: Mapping[str, int]) -> Vector:
    """Returns what a pod requests, one number per resource."""
    return np.array(vector({**pod.spec.requests, PODS: 1}, resources), np.int64)


def own_daemons(pods: Sequence[Pod], node: Node) -> list[Pod]:
    """Returns copies of DaemonSets' pods for one node."""
    copies = []
    for pod in pods:
        own = pod.copy()
        own.name, own.uid, own.node_name = f"{pod.name}-{node.name}", f"{pod.uid}-{node.name}", ""
        copies.append(own)
    return copies
