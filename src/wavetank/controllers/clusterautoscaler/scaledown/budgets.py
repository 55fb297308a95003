from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store


class RemainingBudgets:
    """What disruption budgets still allow, if pods are removed one node after the other."""

    def __init__(self, store: Store) -> None:
        self._budgets: list[PodDisruptionBudget] = list(store.list(POD_DISRUPTION_BUDGET))
        self._left = {budget.uid: budget.disruptions_allowed for budget in self._budgets}

    @property
    def are_none(self) -> bool:
        """Returns whether there are no budgets at all."""
        return not self._budgets

    def matching(self, pod: Pod) -> list[PodDisruptionBudget]:
        """Returns the budgets of a pod."""
        return [
            budget
            for budget in self._budgets
            if budget.namespace == pod.namespace and budget.selector.matches(pod.labels)
        ]

    def blocks(self, pod: Pod) -> bool:
        """Returns whether a budget of the pod allows no disruption at all."""
        return any(self._left[budget.uid] < 1 for budget in self.matching(pod))

    def allow_together(self, pods: Sequence[Pod]) -> bool:
        """Returns whether all pods may be disrupted at the same time."""
        wanted: dict[str, int] = {}
        for pod in pods:
            for budget in self.matching(pod):
                wanted[budget.uid] = wanted.get(budget.uid, 0) + 1
        return all(self._left[uid] >= count for uid, count in wanted.items())

    def take(self, pods: Sequence[Pod]) -> None:
        """Counts pods as disrupted."""
        for pod in pods:
            for budget in self.matching(pod):
                self._left[budget.uid] -= 1
