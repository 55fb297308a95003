from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroups
from wavetank.controllers.clusterautoscaler.nodewatch import NodeWatch
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import Order
from wavetank.controllers.clusterautoscaler.packing import HintingSimulator
from wavetank.controllers.clusterautoscaler.report import MIN_SIZE_REACHED, ScaleDownReport
from wavetank.controllers.clusterautoscaler.scaledown.budgets import RemainingBudgets
from wavetank.controllers.clusterautoscaler.scaledown.deletions import Deletions
from wavetank.controllers.clusterautoscaler.scaledown.drainability import BlockingPodError, DrainRules, Owner
from wavetank.controllers.clusterautoscaler.scaledown.eligibility import EligibilityChecker
from wavetank.controllers.clusterautoscaler.scaledown.occupancy import Occupancy
from wavetank.controllers.clusterautoscaler.scaleup.quotas import cores_of, memory_of
from wavetank.controllers.clusterautoscaler.taints import is_being_deleted
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot, Removal
from wavetank.kernel.durations import Nanoseconds

_UNLIMITED = (2**63, 2**63)  # cores, bytes


@dataclass(slots=True)
class UnneededNode:
    """A node that could go: since when, which pods would have to move, by uid where to. Risky ones go last.

    `removal` is what the snapshot needs to repeat that, if it can, as long as there is no problem with the `owners`.
    """

    node: Node
    since: Nanoseconds
    pods: list[Pod]
    moves: Mapping[str, str] = field(default_factory=dict)
    removal: Removal | None = None
    owners: frozenset[Owner] = frozenset()
    risky: bool = False


class ScaleDownPlanner:
    """Finds nodes whose pods fit elsewhere, and remembers for how long each was found so."""

    def __init__(
        self,
        store: Store,
        snapshot: ClusterSnapshot,
        groups: NodeGroups,
        nodes: NodeWatch,
        deletions: Deletions,
        options: Options,
        order: Order,
    ) -> None:
        self._store = store
        self._snapshot = snapshot
        self._groups = groups
        self._nodes = nodes
        self._deletions = deletions
        self._options = options
        self._order = order
        self._rules = DrainRules(store, options)
        self.occupancy = Occupancy(snapshot, groups, nodes, self._rules)
        self._eligibility = EligibilityChecker(self.occupancy, options)
        self._simulator = HintingSimulator(snapshot, order.moved_to)
        self.unremovable: dict[str, Nanoseconds] = {}  # until when a node is not looked at again
        self._latest: Nanoseconds | None = None
        self._interval: Nanoseconds = max(options.group.scale_down_unneeded_time, 1)
        self.unneeded: dict[str, UnneededNode] = {}

    def forget_unneeded(self) -> None:
        """Starts all times anew."""
        self.unneeded = {}

    def ignores(self, name: str, now: Nanoseconds) -> bool:
        """Returns whether a node was found unremovable so recently that it is not looked at."""
        return self.unremovable.get(name, now) > now

    def update(
        self, candidates: Sequence[Node], destinations: set[str], now: Nanoseconds, report: ScaleDownReport
    ) -> None:
        """Looks at the candidates, in the given order; pods may move to the destinations, by name."""
        self._note_interval(now)
        busy = self._deletions.all()
        destinations.difference_update(busy)
        self.unremovable = {name: until for name, until in self.unremovable.items() if until > now}
        self._snapshot.fork()
        try:
            eligible = self._eligible([node for node in candidates if node.name not in busy], report)
            self._categorize(eligible, destinations, now, report)
        finally:
            self._snapshot.revert()
        self._simulator.drop_old_hints()
        report.unneeded_since = {name: each.since for name, each in self.unneeded.items()}

    def _note_interval(self, now: Nanoseconds) -> None:
        if self._latest is not None:
            self._interval = max(min(self._interval, now - self._latest), 1)
        self._latest = now

    def _eligible(self, candidates: Sequence[Node], report: ScaleDownReport) -> list[Node]:
        eligible = []
        for node in candidates:
            if node.name in self.unremovable:
                report.ignored += 1
            elif self._eligibility.is_eligible(node, report):
                eligible.append(node)
        return eligible

    def _categorize(
        self, nodes: Sequence[Node], destinations: set[str], now: Nanoseconds, report: ScaleDownReport
    ) -> None:
        """Simulates the removal of node after node; those found removable are no destination for the next."""
        budgets = RemainingBudgets(self._store)
        limit = self._unneeded_limit()
        found = self._repeat(nodes, destinations, budgets, limit)
        destinations.difference_update(found)
        for node in nodes:
            if node.name in found:
                continue
            if len(found) >= limit:
                break
            removable = self._simulate_removal(node, destinations, budgets, now, report)
            if removable is None:
                self.unremovable[node.name] = now + self._options.unremovable_node_recheck_timeout
                continue
            destinations.discard(node.name)
            removable.risky = not budgets.allow_together(removable.pods)
            budgets.take(removable.pods)
            found[node.name] = removable
        self.unneeded = found
        report.moves = {name: each.moves for name, each in found.items()}

    def _repeat(
        self, nodes: Sequence[Node], destinations: set[str], budgets: RemainingBudgets, limit: int
    ) -> dict[str, UnneededNode]:
        """Repeats removals that were found possible in the last loop, as far as nothing that decided them has changed.

        They come first anyway, with nodes that have become empty. Their order is left to chance, and it does not matter
        as long as no pod moves to one of them.
        """
        known = {node.name: old for node in nodes if (old := self.unneeded.get(node.name)) is not None}
        first = {node.name for node in nodes if node.name in self.occupancy.empty or node.name in known}
        if not budgets.are_none or len(first) > limit:
            return {}
        owners = frozenset().union(*(old.owners for old in known.values()))
        troubled = {owner for owner in owners if self._rules.problem_of(owner, "")}
        lasting: list[tuple[UnneededNode, Removal]] = []
        for old in known.values():
            removal = old.removal
            if removal is None or not destinations >= removal.destinations or not old.owners.isdisjoint(troubled):
                continue
            if removal.destinations.isdisjoint(first) and self._prefers(old):
                lasting.append((old, removal))
        self._snapshot.fork()
        possible = self._snapshot.repeat_removals([removal for _, removal in lasting])
        if not self._order.is_random and sum(possible) < len(first):
            self._snapshot.revert()
            return {}  # the others may come before these
        self._snapshot.commit()
        return {old.node.name: old for (old, _), done in zip(lasting, possible, strict=True) if done}

    def _prefers(self, old: UnneededNode) -> bool:
        """Returns whether the pods would be tried first where they moved."""
        if self._order.is_random:
            return True
        return all(self._order.moved_to(pod) in ("", old.moves[pod.uid]) for pod in old.pods)

    def _simulate_removal(
        self, node: Node, destinations: set[str], budgets: RemainingBudgets, now: Nanoseconds, report: ScaleDownReport
    ) -> UnneededNode | None:
        old, stamp = self.unneeded.get(node.name), self._snapshot.stamp(node.name)
        present = self._snapshot.pods_on(node.name)
        try:
            pods = self._rules.pods_to_move(present, budgets, now)
        except BlockingPodError as error:
            report.cannot[node.name] = str(error)
            return None
        if old is not None:
            self._simulator.recall(old.moves)
        self._snapshot.fork()
        self._snapshot.remove_node(node.name)  # so that it is no destination either
        moves = self._simulator.place(pods, destinations, all_or_nothing=True)
        if len(moves) < len(pods):
            self._snapshot.revert()
            report.cannot[node.name] = f"can reschedule only {len(moves)} out of {len(pods)} pods"
            return None
        self._snapshot.commit()
        found = UnneededNode(node, now if old is None else old.since, pods, moves)
        if all(pod.deleted is None for pod in present):  # a terminating pod stops to count at some time
            found.removal = self._snapshot.note_removal(node.name, stamp, [(pod, moves[pod.uid]) for pod in pods])
            found.owners = frozenset(owner for pod in pods if (owner := self._rules.owner_of(pod)) is not None)
        return found

    def _unneeded_limit(self) -> int:
        """Returns the number of unneeded nodes beyond which more could not be removed in time anyway."""
        parallel = self._options.max_scale_down_parallelism
        # Real loops are always late by a little, so one less of them fits into a multiple of the interval.
        loops = max((self._options.group.scale_down_unneeded_time - 1) // self._interval, 1)
        return min(parallel * loops + parallel, len(self.unneeded) + 2 * parallel)

    def removable(self, now: Nanoseconds, report: ScaleDownReport) -> tuple[list[UnneededNode], list[UnneededNode]]:
        """Returns the empty nodes and those with pods that were unneeded for long enough to be removed now.

        Which of them come first is left to chance, as in the real program's map.
        """
        due = [name for name, each in self.unneeded.items() if self._is_due(each, now)]
        if not due:
            return [], []
        sizes = {group.id: group.target for group in self._groups.all().values()}
        left = self._minimum_left(now)
        unneeded = [self.unneeded[name] for name in self._order.removals(due)]
        empty = [each for each in unneeded if not each.pods]
        filled = [each for each in unneeded if each.pods]
        going = [each for each in empty if self._may_go(each, sizes, left, report)]
        draining = [each for each in filled if self._may_go(each, sizes, left, report)]
        return going, sorted(draining, key=lambda each: each.risky)

    def _is_due(self, each: UnneededNode, now: Nanoseconds) -> bool:
        group = self._nodes.group_of(each.node.name)
        if group is None:
            return False
        options = group.options
        needed = options.scale_down_unneeded_time if each.node.ready else options.scale_down_unready_time
        # Real loops are always late by a little, so a time that is a multiple of the interval counts as over.
        return each.since + needed <= now

    def _minimum_left(self, now: Nanoseconds) -> list[int]:
        """Returns how much CPU and memory may go before the least of the cluster is reached."""
        least = (self._options.cores_total.least, self._options.memory_total.least)
        if not any(least):
            return list(_UNLIMITED)
        present = (self._snapshot.node(name) for name in self._snapshot.node_names())
        nodes = [node for node in present if node is not None and not is_being_deleted(node, now)]
        cores, memory = sum(cores_of(node) for node in nodes), sum(memory_of(node) for node in nodes)
        return [cores - least[0], memory - least[1]]

    def _may_go(self, each: UnneededNode, sizes: dict[str, int], left: list[int], report: ScaleDownReport) -> bool:
        group = self._nodes.group_of(each.node.name)
        assert group is not None
        if sizes[group.id] - self._deletions.count(group.id) <= group.min_size:
            report.kept[each.node.name] = MIN_SIZE_REACHED
            return False
        asked = (cores_of(each.node), memory_of(each.node))
        if any(amount > rest for amount, rest in zip(asked, left, strict=True)):
            return False
        left[:] = [rest - amount for amount, rest in zip(asked, left, strict=True)]
        sizes[group.id] -= 1
        return True
