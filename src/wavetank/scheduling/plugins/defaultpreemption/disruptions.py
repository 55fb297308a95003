from __future__ import annotations

from collections.abc import Hashable, Iterable

from wavetank.cluster.fields.labels import labels_key
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.listers import Listers


class Disruptions:
    """Which evictions would violate a disruption budget, as of the moment when this was made."""

    def __init__(self, listers: Listers) -> None:
        self._listers = listers
        self._budgets: dict[tuple[str, Hashable], list[PodDisruptionBudget]] = {}
        self.possible = listers.has_disruption_budgets

    def violated(self, pods: Iterable[Pod]) -> list[bool]:
        """Returns for each pod whether its eviction would, after the evictions of those before it."""
        allowed: dict[tuple[str, str], int] = {}
        found: list[bool] = []
        for pod in pods:
            violated = False
            for budget in self._budgets_of(pod):
                if pod.name not in budget.disrupted:
                    allowed[budget.key] = allowed.get(budget.key, budget.disruptions_allowed) - 1
                    violated |= allowed[budget.key] < 0
            found.append(violated)
        return found

    def _budgets_of(self, pod: Pod) -> list[PodDisruptionBudget]:
        if not self.possible or not pod.labels:
            return []
        key = (pod.namespace, labels_key(pod.labels))
        found = self._budgets.get(key)
        if found is None:
            budgets = self._listers.disruption_budgets(pod.namespace)
            selecting = (item for item in budgets if not item.selector.is_empty and item.selector.matches(pod.labels))
            found = self._budgets[key] = list(selecting)
        return found
