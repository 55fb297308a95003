from __future__ import annotations

from collections.abc import Hashable

from wavetank.cluster.fields.labels import labels_key
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.nodes.nodetable import NodeTable


class FailureCache:
    """The failed attempts since the last change of the table: equal pods fail in the same way."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self.known: dict[Hashable, tuple[Cycle, Outcome]] = {}
        self._version = -1

    def like(self, cycle: Cycle) -> tuple[Cycle, Outcome] | None:
        """Returns the outcome of an equal pod that failed, with its cycle."""
        self._forget_outdated()
        return self.known.get(_key(cycle)) if self.known and _is_unplaced(cycle) else None

    def add(self, cycle: Cycle, outcome: Outcome) -> None:
        """Caches a failure, if it holds for all equal pods as long as nothing changes."""
        if _is_unplaced(cycle) and _holds_for_equal_pods(cycle, outcome):
            self._forget_outdated()
            outcome.holds_for_all = True
            self.known[_key(cycle)] = cycle, outcome

    def _forget_outdated(self) -> None:
        if self._version != self._table.version:
            self.known.clear()
            self._version = self._table.version


def _is_unplaced(cycle: Cycle) -> bool:
    return not cycle.pod.nominated_node and not cycle.pod.node_name


def _holds_for_equal_pods(cycle: Cycle, outcome: Outcome) -> bool:
    if outcome.elsewhere is not None or (outcome.preemption and outcome.preemption.nominated):
        return False
    if cycle.framework.extenders.choose_victims:
        return False  # what an extender answers once need not hold for the next pod, or later
    spec = cycle.pod.spec
    searched_all = not spec.volumes and "resourceClaims" not in spec.manifest
    return searched_all and cycle.framework.fails_for_all(outcome.rejectors)


def _key(cycle: Cycle) -> Hashable:
    """Returns what two pods must share to be equal for a profile."""
    pod = cycle.pod
    return cycle.framework, pod.spec, pod.priority, pod.namespace, labels_key(pod.labels)
