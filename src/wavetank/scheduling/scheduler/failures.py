from __future__ import annotations

from collections.abc import Hashable

from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.scheduling.framework.nodes.nodetable import NodeTable


class Failures:
    """How attempts have failed since anything in the table last changed: pods like these fail alike."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self.known: dict[Hashable, tuple[Cycle, Outcome]] = {}
        self._version = -1

    def like(self, cycle: Cycle) -> tuple[Cycle, Outcome] | None:
        """Returns how a pod like the cycle's has failed, with the cycle in which it did."""
        self._forget_outdated()
        return self.known.get(_likeness(cycle)) if self.known and _is_free(cycle) else None

    def remember(self, cycle: Cycle, outcome: Outcome) -> None:
        """Remembers a failure, if it holds for all pods like this one as long as nothing changes."""
        if _is_free(cycle) and _is_for_good(cycle, outcome):
            self._forget_outdated()
            outcome.holds_for_all = True
            self.known[_likeness(cycle)] = cycle, outcome

    def _forget_outdated(self) -> None:
        if self._version != self._table.version:
            self.known.clear()
            self._version = self._table.version


def _is_free(cycle: Cycle) -> bool:
    return not cycle.pod.nominated_node and not cycle.pod.node_name


def _is_for_good(cycle: Cycle, outcome: Outcome) -> bool:
    if outcome.elsewhere is not None or (outcome.preemption and outcome.preemption.nominated):
        return False
    spec = cycle.pod.spec
    searched_all = not spec.volumes and "resourceClaims" not in spec.manifest
    return searched_all and cycle.framework.fails_for_all(outcome.rejectors)


def _likeness(cycle: Cycle) -> Hashable:
    """Returns what makes two pods alike for a profile."""
    pod = cycle.pod
    return cycle.framework, pod.spec, pod.priority, pod.namespace, frozenset(pod.labels.items())
