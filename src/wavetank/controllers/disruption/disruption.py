from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.controllers.disruption.expectedpods import ExpectedPods, ExpectedPodsError, expected_pods
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectedpods import SelectedPods
from wavetank.kernel.durations import SECOND, Nanoseconds

_EXPECTED_TO_GO: Nanoseconds = 120 * SECOND  # how long an evicted pod counts as deleted although it exists
_ALLOWED = "DisruptionAllowed"
_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of "
    "the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please "
    'set ".spec.minAvailable" field of the PDB to an integer value.'
)
Status = dict[str, Any]


class DisruptionBudgets:
    """The disruption-controller: counts the healthy pods of each budget and how many may be disrupted."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._store.subscribe(POD_DISRUPTION_BUDGET, self)
        budgets = list(self._store.list(POD_DISRUPTION_BUDGET))
        self._pods = SelectedPods(self._store, self._queue.add, [(budget.key, budget.selector) for budget in budgets])
        for budget in budgets:
            self._queue.add(budget.key)

    # events

    def added(self, new: PodDisruptionBudget) -> None:
        """Adds a budget and finds its pods."""
        self._pods.put(new.key, new.selector)
        self._queue.add(new.key)

    def modified(self, old: PodDisruptionBudget, new: PodDisruptionBudget) -> None:
        """Updates a changed budget."""
        self.added(new)

    def deleted(self, old: PodDisruptionBudget) -> None:
        """Removes a budget."""
        self._pods.drop(old.key)

    # work

    def _sync(self, key: Key) -> None:
        budget = self._store.find(POD_DISRUPTION_BUDGET, *key)
        if not isinstance(budget, PodDisruptionBudget):
            return
        pods = self._pods.of(key)
        if not pods:
            self._record(budget, "Normal", "NoPods", "No matching pods found")
        spec = budget.manifest.get("spec") or {}
        try:
            expected = expected_pods(spec, pods, self._store)
        except ExpectedPodsError as error:
            why = f"Failed to calculate the number of expected pods: {error}"
            self._record(budget, "Warning", "CalculateExpectedPodCountFailed", why)
            self._write(budget, self._failed(budget, str(error)))
            return
        if expected.unmanaged:
            self._record(budget, "Warning", "UnmanagedPods", _UNMANAGED.format(spec.get("selector")))
        evicted = self._evicted(budget, pods)
        self._write(budget, self._counted(budget, pods, expected, evicted))
        if evicted:
            times = [time for text in evicted.values() if (time := parse_time(text, "disruptedPods")) is not None]
            over = min(times) + _EXPECTED_TO_GO + 1  # strictly after the timeout
            self._queue.add_after(key, over - self._context.clock.now)

    def _evicted(self, budget: Resource, pods: list[Pod]) -> dict[str, str]:
        """Returns the evicted pods that still exist, with the time of eviction; after a timeout they count again."""
        noted = (budget.manifest.get("status") or {}).get("disruptedPods") or {}
        evicted: dict[str, str] = {}
        for pod in pods:
            time = parse_time(noted.get(pod.name), "disruptedPods") if pod.deleted is None else None
            if time is None:
                continue
            if time + _EXPECTED_TO_GO < self._context.clock.now:
                where = f"{budget.namespace}/{budget.namespace}"  # as upstream writes it
                self._record(
                    pod, "Warning", "NotDeleted", f"Pod was expected by PDB {where} to be deleted but it wasn't"
                )
            else:
                evicted[pod.name] = noted[pod.name]
        return evicted

    def _counted(self, budget: Resource, pods: list[Pod], expected: ExpectedPods, evicted: dict[str, str]) -> Status:
        ready = self._context.ready_since
        alive = (pod for pod in pods if pod.deleted is None and pod.name not in evicted)
        healthy = sum(1 for pod in alive if ready(pod) is not None)
        allowed = max(0, healthy - expected.healthy) if expected.pods > 0 else 0
        generation = (budget.manifest.get("metadata") or {}).get("generation") or 0
        reason = "SufficientPods" if allowed else "InsufficientPods"
        status: Status = {"observedGeneration": generation} if generation else {}
        status |= {"disruptedPods": evicted} if evicted else {}
        status |= {"disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": expected.healthy}
        status["expectedPods"] = expected.pods
        status["conditions"] = self._conditions(budget, bool(allowed), reason, "", generation)
        return status

    def _failed(self, budget: Resource, why: str) -> Status:
        old = dict(budget.manifest.get("status") or {})
        counts = {name: old.get(name, 0) for name in ("currentHealthy", "desiredHealthy", "expectedPods")}
        generation = old.get("observedGeneration") or 0
        conditions = self._conditions(budget, False, "SyncFailed", why, generation)
        kept = {name: old[name] for name in ("observedGeneration", "disruptedPods") if old.get(name)}
        return {**kept, "disruptionsAllowed": 0, **counts, "conditions": conditions}

    def _conditions(self, budget: Resource, allowed: bool, reason: str, message: str, generation: int) -> list[Status]:
        old = (budget.manifest.get("status") or {}).get("conditions") or []
        known = next((each for each in old if each.get("type") == _ALLOWED), None)
        status = "True" if allowed else "False"
        since = render_time(self._context.clock.now)
        if known is not None and known.get("status") == status:
            since = known["lastTransitionTime"]
        new: Status = {"type": _ALLOWED, "status": status}
        new |= {"observedGeneration": generation} if generation else {}
        new |= {"lastTransitionTime": since, "reason": reason, "message": message}
        return [new if each is known else each for each in old] if known is not None else [*old, new]

    def _write(self, budget: Resource, status: Status) -> None:
        if status != (budget.manifest.get("status") or {}):
            self._context.client.update_status(budget, status)

    def _record(self, about: Resource, type_: str, reason: str, message: str) -> None:
        self._context.record_event(about, type_, reason, message, "controllermanager")
