"""Finds domains for pods, by Kueue's algorithms.

Pods that have to be near each other, or preferably are, get the domain that fits best (BestFit); pods that may be
anywhere fill the domains with the least free capacity (LeastFreeCapacity), as Kueue's profile TASProfileMixed has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from wavetank.cluster.fields.resources import PODS
from wavetank.cluster.fields.taints import Taint, Tolerations
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.controllers.kueue.topology.domains import Domain, DomainTree, Leaf, count_in
from wavetank.controllers.kueue.topology.requests import (
    REQUIRED,
    UNCONSTRAINED,
    DomainCount,
    Placement,
    PlacementRequest,
    Values,
)

_HARD = ("NoSchedule", "NoExecute")

Assumed: TypeAlias = dict[Values, dict[str, int]]  # amounts by domain


@dataclass
class _Exclusions:
    """Why nodes hold no pod of a request."""

    total: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def describe(self) -> str:
        if not self.reasons:
            return ""
        listed = sorted(f"{reason}: {number}" for reason, number in self.reasons.items())
        return f". Total nodes: {self.total}; excluded: {', '.join(listed)}"


class PlacementSearch:
    """Finds domains of a tree for a request; `name` is that of the topology, `tolerations` those of the flavor."""

    def __init__(self, tree: DomainTree, name: str, tolerations: Tolerations) -> None:
        self._tree = tree
        self._name = name
        self._tolerations = tolerations
        self._excluded = _Exclusions()
        self._least_first = False

    def find(self, request: PlacementRequest, empty: bool = False, assumed: Assumed | None = None) -> Placement | str:
        """Returns the domains of all pods, or why there are none; `empty`: as if there were no other workloads.

        `assumed` is what other pods of the same workload will use.
        """
        mode, wanted = request.topology
        levels = self._tree.levels
        level = levels.index(wanted) if wanted else len(levels) - 1
        self._least_first = mode == UNCONSTRAINED
        self._fill(request, empty, assumed or {})
        found = self._fitting(level, request.pods, mode)
        if isinstance(found, str):
            return found
        level, domains = found
        domains = self._share_out(domains, request.pods)
        for _ in range(level, len(levels) - 1):
            below = self._sorted(child for each in domains for child in each.children)
            domains = self._share_out(below, request.pods)
        return self._placement(domains)

    # how many pods fit

    def _fill(self, request: PlacementRequest, empty: bool, assumed: Assumed) -> None:
        """Counts how many pods fit in each domain."""
        requests = {**request.spec.requests, PODS: request.spec.requests.get(PODS, 0) + 1}
        self._excluded = excluded = _Exclusions()
        for key, leaf in self._tree.leaves.items():
            excluded.total += 1
            leaf.pods = 0
            reason = self._refusal(leaf.node, request.spec) if leaf.node is not None else ""
            if not reason:
                leaf.pods, limit = count_in(requests, _without(leaf.remaining(empty), assumed.get(key)))
                reason = f'resource "{limit}"' if leaf.pods == 0 and limit else ""
            if reason:
                excluded.reasons[reason] += 1
        for root in self._tree.roots():
            _add_up(root)

    def _refusal(self, node: Node, spec: PodSpec) -> str:
        """Returns why pods cannot run on a node."""
        for taint in node.taints:
            if taint.effect in _HARD and not (spec.tolerations.accept(taint) or self._tolerations.accept(taint)):
                return f'taint "{_describe(taint)}"'
        affinity = spec.node_affinity
        if not affinity.selector.matches(node.labels):
            return "nodeSelector"
        if affinity.required is not None and not affinity.required.matches(node.labels, node.name):
            return "affinity"
        return ""

    # which level

    def _fitting(self, level: int, count: int, mode: str) -> tuple[int, list[Domain]] | str:
        """Returns the level and the domains of it that hold all pods, or why there are none."""
        domains = self._sorted(self._tree.by_level[level].values())
        if not domains:
            return f"no topology domains at level: {self._tree.levels[level]}"
        if self._least_first:
            one = next((each for each in domains if each.pods >= count), None)
        else:
            one = _best_fit(domains, count) if domains[0].pods >= count else None
        if one is not None:
            return level, [one]
        if mode == REQUIRED:
            return self._too_few(domains[0].pods, count)
        if level > 0 and mode != UNCONSTRAINED:
            return self._fitting(level - 1, count, mode)
        return self._several(level, domains, count)

    def _several(self, level: int, domains: list[Domain], count: int) -> tuple[int, list[Domain]] | str:
        chosen: list[Domain] = []
        left = count
        for i, domain in enumerate(domains):
            if left <= 0:
                break
            if not self._least_first and domain.pods >= left:
                domain = _best_fit(domains[i:], left)
            chosen.append(domain)
            left -= domain.pods
        return self._too_few(count - left, count) if left > 0 else (level, chosen)

    def _share_out(self, domains: Sequence[Domain], count: int) -> list[Domain]:
        """Gives each domain as many pods as it holds, until all have one; returns those that got some."""
        chosen: list[Domain] = []
        for i, domain in enumerate(domains):
            if not self._least_first and domain.pods >= count:
                domain = _best_fit(domains[i:], count)
            chosen.append(domain)
            if domain.pods >= count:
                domain.pods = count
                break
            count -= domain.pods
        return chosen

    def _sorted(self, domains: Iterable[Domain]) -> list[Domain]:
        sign = 1 if self._least_first else -1
        return sorted(domains, key=lambda each: (sign * each.pods, each.values))

    # results

    def _placement(self, domains: Iterable[Domain]) -> Placement:
        tree = self._tree
        ordered = sorted((each for each in domains if each.pods), key=lambda each: each.values)
        levels = tree.levels[-1:] if tree.is_of_nodes else tree.levels
        return Placement(levels, tuple(DomainCount(tree.key(each.values), each.pods) for each in ordered))

    def _too_few(self, fitting: int, count: int) -> str:
        topology = f'topology "{self._name}"'
        said = f"allows to fit only {fitting} out of {count}" if fitting else f"doesn't allow to fit any of {count}"
        return f"{topology} {said} pod(s){self._excluded.describe()}"


def assume(assumed: Assumed, request: PlacementRequest, placement: Placement) -> None:
    """Adds what pods will use of their domains; Kueue leaves the number of pods itself out."""
    for domain in placement.domains:
        used = assumed.setdefault(domain.values, {})
        for name, amount in request.spec.requests.items():
            used[name] = used.get(name, 0) + amount * domain.pods


def _without(free: dict[str, int], used: Mapping[str, int] | None) -> dict[str, int]:
    return free if used is None else {name: amount - used.get(name, 0) for name, amount in free.items()}


def _add_up(domain: Domain) -> int:
    if not isinstance(domain, Leaf):
        domain.pods = sum(_add_up(each) for each in domain.children)
    return domain.pods


def _best_fit(domains: Sequence[Domain], count: int) -> Domain:
    """Returns the first of the domains that hold so many pods and not many more; the first of all if none does."""
    best = domains[0]
    for each in domains:
        if count <= each.pods < best.pods:
            best = each
    return best


def _describe(taint: Taint) -> str:
    """Writes a taint as Kubernetes does."""
    if not taint.value:
        return f"{taint.key}:{taint.effect}"
    return f"{taint.key}={taint.value}:{taint.effect}"
