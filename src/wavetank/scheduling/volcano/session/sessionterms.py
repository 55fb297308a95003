from __future__ import annotations

from collections.abc import Mapping

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.termindex import REQUIRED_ANTI, MatchingTerms, PlacedTerm, TermIndex
from wavetank.scheduling.framework.nodes.topology import DomainTotals, TopologyTable


class SessionTerms(TermIndex):
    """The affinity terms of placed pods as Volcano's session sees them.

    It lists the nodes with such pods once, at its beginning: terms of pods that come to another node later are
    overlooked, except when a pod with preferred terms of its own is scored, for which all nodes are looked at.
    """

    def __init__(self, terms: TermIndex, placements: Mapping[str, tuple[Pod, int]]) -> None:
        super().__init__()
        self._all = terms
        self._placements = placements
        self._anti = terms.slots({REQUIRED_ANTI})
        self._any = terms.slots(None)
        self._overlooks = False

    @property
    def is_empty(self) -> bool:
        """Returns whether no placed pod has terms."""
        return self._all.is_empty

    def add(self, pod: Pod, slot: int, number: int = 1) -> None:
        """Counts the terms of a pod, on nodes that are looked at."""
        if not self._overlooks and number > 0 and slot not in self._anti:
            self._begin_to_overlook(pod)
        self._all.add(pod, slot, number)
        if self._overlooks:
            super().add(pod, slot, number)

    def _begin_to_overlook(self, newcomer: Pod) -> None:
        self._overlooks = True
        for pod, slot in self._placements.values():
            if pod.spec.pod_affinity and pod.uid != newcomer.uid:
                super().add(pod, slot)

    def matching(self, pod: Pod, namespace_labels: Mapping[str, str], topologies: TopologyTable) -> MatchingTerms:
        """Returns the terms that match pods of this kind."""
        everywhere = self._all.matching(pod, namespace_labels, topologies)
        if not self._overlooks:
            return everywhere
        seen = super().matching(pod, namespace_labels, topologies)
        return _Seen(namespace_labels, seen, everywhere if pod.spec.pod_affinity.preferred else seen)

    def _counts(self, held: PlacedTerm, slot: int) -> bool:
        return slot in (self._anti if held.role == REQUIRED_ANTI else self._any)


class _Seen(MatchingTerms):
    def __init__(self, namespace_labels: Mapping[str, str], filtering: MatchingTerms, scoring: MatchingTerms) -> None:
        super().__init__(namespace_labels)
        self._filtering = filtering
        self._scoring = scoring

    def totals(self, role: int) -> list[DomainTotals]:
        return (self._filtering if role == REQUIRED_ANTI else self._scoring).totals(role)
