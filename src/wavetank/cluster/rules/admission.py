from __future__ import annotations

from wavetank.cluster.objects.groupkinds import PRIORITY_CLASS
from wavetank.cluster.objects.kinds import PriorityClass
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store

# Priority classes that every cluster has.
SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


class ForbiddenError(ApiError):
    """Admission does not let the object in."""

    code = 403
    reason = "Forbidden"


def admit(pod: Pod, store: Store) -> None:
    """Completes a new pod as the API server's admission does: gives it the priority and policy of its class.

    ForbiddenError if there is no such class. Call it before the store creates the pod.
    """
    name = pod.spec.priority_class
    if pod.spec.priority is not None or not (name or store.has(PRIORITY_CLASS)):
        return
    if name in SYSTEM_PRIORITIES:
        pod.priority = SYSTEM_PRIORITIES[name]
        return
    found = priority_class(name, store)
    if found is None and name:
        raise ForbiddenError(f'no PriorityClass with name "{name}" was found')
    if found is not None:
        pod.priority = found.value
        _adopt_policy(pod, found, store)


def priority_class(name: str, store: Store) -> PriorityClass | None:
    """Returns the class of that name or, without a name, the least of those that are the default; None if none is."""
    if name:
        named = store.find(PRIORITY_CLASS, "", name)
        return named if isinstance(named, PriorityClass) else None
    defaults = [found for found in store.list(PRIORITY_CLASS) if found.global_default]
    return min(defaults, key=lambda found: found.value, default=None)


def _adopt_policy(pod: Pod, priority_class: PriorityClass, store: Store) -> None:
    """Lets a pod of a class that does not preempt keep to that; pods of other classes keep their shared spec."""
    policy, given = priority_class.preemption_policy, pod.spec.manifest
    if policy != pod.spec.preemption_policy and not given.get("preemptionPolicy"):
        completed = store.specs.intern({**given, "preemptionPolicy": policy})
        pod.spec = completed.holding(pod.manifest.get("status") or {})
