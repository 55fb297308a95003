"""Which pods need a node, which may be moved, and which keep their node from being disrupted."""

from __future__ import annotations

from collections.abc import Iterable

from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.karpenter import DISRUPTED, DO_NOT_DISRUPT
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.pods import controller_of, is_mirror_pod, is_recreatable
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration

_STUCK: Nanoseconds = 60 * SECOND  # a pod that should have ended so long ago no longer counts
_NOTHING = (0, "0%")  # as maxUnavailable


def is_provisionable(pod: Pod) -> bool:
    """Returns whether a scheduler has found no node for a pod, and a new node might help."""
    pending = bool(pod.unschedulable) and not pod.node_name and not pod.finished
    return pending and not pod.nominated_node and is_recreatable(pod)


def is_active(pod: Pod) -> bool:
    """Returns whether a pod is neither finished nor being deleted."""
    return not pod.finished and pod.deleted is None


def is_reschedulable(pod: Pod) -> bool:
    """Returns whether a pod would need another node if its own went away."""
    controller = controller_of(pod)
    is_stateful = controller is not None and controller.get("kind") == "StatefulSet"
    return (is_active(pod) or (is_stateful and not pod.finished)) and is_recreatable(pod)


def is_protected(pod: Pod, now: Nanoseconds) -> bool:
    """Returns whether the annotation do-not-disrupt holds: true, or a time since the pod's start that is not over."""
    text = pod.annotations.get(DO_NOT_DISRUPT)
    if text is None or text == "true":
        return text is not None
    try:
        time = parse_duration(text)
    except InputError:
        return False
    return time > 0 and (pod.started is None or now - pod.started < time)


def is_waiting_for_eviction(pod: Pod, now: Nanoseconds) -> bool:
    """Returns whether a node is not drained as long as this pod is on it."""
    stuck = pod.deleted is not None and now - pod.deleted > _STUCK
    return not pod.finished and not stuck and not is_mirror_pod(pod) and not pod.spec.tolerations.accept(DISRUPTED)


def is_evictable(pod: Pod, now: Nanoseconds) -> bool:
    """Returns whether a drain evicts this pod."""
    return is_active(pod) and is_waiting_for_eviction(pod, now) and not is_protected(pod, now)


class DisruptionLimits:
    """What the PodDisruptionBudgets of the cluster say of single pods."""

    def __init__(self, store: Store, now: Nanoseconds) -> None:
        self._budgets: list[PodDisruptionBudget] = list(store.list(POD_DISRUPTION_BUDGET))
        self._now = now

    def allow(self, pod: Pod) -> bool:
        """Returns whether a pod could be evicted now; one with two budgets never can."""
        if not self._budgets or not is_evictable(pod, self._now):
            return True
        found = self._of(pod)
        return len(found) < 2 and all(budget.disruptions_allowed > 0 for budget in found)

    def allow_all(self, pods: Iterable[Pod]) -> bool:
        """Returns whether each of the pods could be evicted now, if not all of them at once."""
        return not self._budgets or all(map(self.allow, pods))

    def ever_allow(self, pod: Pod) -> bool:
        """Returns whether no budget of the pod forbids every eviction."""
        if not self._budgets or not is_evictable(pod, self._now):
            return True
        found = self._of(pod)
        return len(found) < 2 and not any(_is_fully_blocking(budget) for budget in found)

    def currently_reschedulable(self, pod: Pod) -> bool:
        """Returns whether a pod needs another node and can be evicted from its own some day."""
        return is_reschedulable(pod) and not (is_active(pod) and is_protected(pod, self._now)) and self.ever_allow(pod)

    def _of(self, pod: Pod) -> list[PodDisruptionBudget]:
        return [each for each in self._budgets if each.namespace == pod.namespace and each.selector.matches(pod.labels)]


def _is_fully_blocking(budget: PodDisruptionBudget) -> bool:
    spec = budget.manifest.get("spec") or {}
    return spec.get("maxUnavailable", 1) in _NOTHING or spec.get("minAvailable") == "100%"
