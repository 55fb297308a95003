from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import Pod


class Budgets:
    """Which pods the disruption budgets of a cluster let go, by the rules of the eviction API."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget] = ()) -> None:
        self._budgets = list(budgets)

    def allow(self, pods: Iterable[Pod]) -> bool:
        """Tells whether all of these pods may be evicted; one with several budgets never may."""
        asked: Counter[tuple[str, str]] = Counter()
        for pod in pods:
            own = [each for each in self._budgets if _selects(each, pod)]
            if len(own) > 1:
                return False
            asked.update(each.key for each in own)
        return all(asked[each.key] <= each.disruptions_allowed for each in self._budgets)


def _selects(budget: PodDisruptionBudget, pod: Pod) -> bool:
    return budget.namespace == pod.namespace and budget.selector.matches(pod.labels)
