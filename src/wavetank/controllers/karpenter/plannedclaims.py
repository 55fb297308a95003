from __future__ import annotations

from wavetank.cluster.objects.karpenter import HOSTNAME
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.controllers.karpenter.catalog import Mask, PoolOptions, Vector, own_daemons
from wavetank.controllers.karpenter.nodepools import NodePool, Option
from wavetank.controllers.karpenter.snapshot import TOPOLOGY_FILTERS, ProvisioningSnapshot


class PlannedClaim:
    """A node that is to be launched, and the options that are left for it.

    In the snapshot it is the cheapest of them, which is the one that will be launched; `order` are the rows of the
    options by price, `mask` tells which are left. The scheduler's filters judge that one node with all its pods;
    which other options remain is decided by what the pods request in sum.
    """

    def __init__(
        self, snapshot: ProvisioningSnapshot, name: str, options: PoolOptions, order: list[int], mask: Mask
    ) -> None:
        self._snapshot = snapshot
        self._options = options
        self.name = name
        self.order = order
        self.mask = mask
        self.home = self._first(mask)
        self.requests: Vector = 0 * options.free[0]
        self.pods: list[Pod] = []
        self._refused: set[PodSpec] = set()
        node = options.pool.node(self.option, name, ready=True)
        snapshot.add_node(node, own_daemons(options.daemons[self.home], node))

    @property
    def pool(self) -> NodePool:
        """Returns its pool."""
        return self._options.pool

    @property
    def option(self) -> Option:
        """Returns the option that will be launched."""
        return self.pool.options[self.home]

    def options(self) -> list[Option]:
        """Returns the options that are left, the cheapest first."""
        return [self.pool.options[row] for row in self.order if self.mask[row]]

    def keep(self, options: list[Option]) -> None:
        """Leaves only these options, at least one."""
        kept = set(map(id, options))
        self.mask = self.mask & [id(option) in kept for option in self.pool.options]
        self.home = self._first(self.mask)

    def add(self, pod: Pod, requests: Vector, mask: Mask) -> None:
        """Puts a pod on it that is known to fit the cheapest option of `mask`."""
        self.mask = self._narrowed(pod, mask)
        self.requests = self.requests + requests
        self.pods.append(pod)
        self._snapshot.add_pod(pod, self.name)

    def try_add(self, pod: Pod, requests: Vector, allowed: Mask) -> bool:
        """Adds a pod if some option is left that holds it beside the others."""
        if pod.spec in self._refused:
            return False
        mask = self.mask & allowed & (self.requests + requests <= self._options.free).all(axis=1)
        if mask.any() and self._settle(pod, mask):
            self.add(pod, requests, mask)
            return True
        if not depends_on_others(pod.spec):
            self._refused.add(pod.spec)
        return False

    def _settle(self, pod: Pod, mask: Mask) -> bool:
        """Makes the node in the snapshot the cheapest option that the filters accept; False if there is none.

        Options of a domain that the topology filters refuse are passed over.
        """
        before, refused = self.home, set[tuple[str, ...]]()
        keys = _topology_keys(pod.spec)
        for row in (row for row in self.order if mask[row]):
            domain = tuple(self.pool.options[row].labels.get(key, "") for key in keys)
            if domain in refused:
                continue
            self._move(row)
            misfit = self._snapshot.misfit(pod, self.name)
            if misfit is None:
                return True
            if misfit.plugin not in TOPOLOGY_FILTERS:
                break
            refused.add(domain)
        self._move(before)
        return False

    def _move(self, row: int) -> None:
        if row != self.home:
            self.home = row
            self._snapshot.set_node(self.pool.node(self.option, self.name, ready=True))

    def _narrowed(self, pod: Pod, mask: Mask) -> Mask:
        """Returns the options in the same domains as the cheapest: the pod is counted there."""
        for key in _topology_keys(pod.spec):
            mask = mask & [value == self.option.labels.get(key, "") for value in self._options.values(key)]
        return mask

    def _first(self, mask: Mask) -> int:
        return next(row for row in self.order if mask[row])


def depends_on_others(spec: PodSpec) -> bool:
    """Returns whether pods that are placed later may make a node possible for a pod."""
    return bool(spec.pod_affinity.required) or any(each.hard for each in spec.spread)


def _topology_keys(spec: PodSpec) -> list[str]:
    """Returns the topologies, host names aside, over which a pod must be spread or has required affinity terms."""
    terms = (*spec.pod_affinity.required, *spec.pod_affinity.required_anti)
    keys = [*(each.topology_key for each in spec.spread if each.hard), *(term.topology_key for term in terms)]
    return [key for key in dict.fromkeys(keys) if key != HOSTNAME]
