from __future__ import annotations

from collections.abc import Iterable

from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store

_EVICTED = "Evicted"  # the reason in the status of an evicted pod, as results count it
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


class BudgetedEvictions:
    """Evicts pods as far as the status of their disruption budgets allows it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def evict(self, pod: Pod, grace_s: int) -> None:
        """Evicts a pod; ApiError if a budget does not allow it, or if there are two. What is left of it is noted."""
        budgets = [] if pod.phase != RUNNING or pod.deleted is not None else self._covering(pod)
        if len(budgets) > 1:
            raise ApiError(_SEVERAL)
        for budget in budgets:
            if budget.disruptions_allowed < 1:
                raise ApiError("Cannot evict pod as it would violate the pod's disruption budget.")
            self._take(budget, pod)
        self._store.evict(pod, _EVICTED, grace_s)

    def _covering(self, pod: Pod) -> list[PodDisruptionBudget]:
        budgets: Iterable[PodDisruptionBudget] = self._store.list(POD_DISRUPTION_BUDGET)
        return [each for each in budgets if each.namespace == pod.namespace and each.selector.matches(pod.labels)]

    def _take(self, budget: PodDisruptionBudget, pod: Pod) -> None:
        """Writes into a budget that one more pod is being disrupted: others may ask before its controller does it."""
        new = budget.copy()
        new.disruptions_allowed -= 1
        new.disrupted |= {pod.name}
        status = budget.manifest.get("status") or {}
        noted = {**(status.get("disruptedPods") or {}), pod.name: render_time(self._store.clock.now)}
        status = {**status, "disruptionsAllowed": new.disruptions_allowed, "disruptedPods": noted}
        new.manifest = {**budget.manifest, "status": status}
        self._store.update(new)
