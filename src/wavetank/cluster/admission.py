from __future__ import annotations

from wavetank.cluster.kinds import PriorityClass
from wavetank.cluster.pod import Pod
from wavetank.cluster.status import ApiError
from wavetank.cluster.store import Store

# Priority classes that every cluster has.
SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


class ForbiddenError(ApiError):
    """Admission does not let the object in."""

    code = 403
    reason = "Forbidden"


def admit(pod: Pod, store: Store) -> None:
    """Completes a new pod as the API server's admission does: gives it the priority of its class.

    ForbiddenError if there is no such class. Call it before the store creates the pod.
    """
    name = pod.spec.priority_class
    if pod.spec.priority is not None:
        return
    if name in SYSTEM_PRIORITIES:
        pod.priority = SYSTEM_PRIORITIES[name]
    elif name:
        found = store.find("PriorityClass.scheduling.k8s.io", "", name)
        if not isinstance(found, PriorityClass):
            raise ForbiddenError(f'no PriorityClass with name "{name}" was found')
        pod.priority = found.value
    else:
        pod.priority = _default_priority(store)


def _default_priority(store: Store) -> int:
    classes = store.list("PriorityClass.scheduling.k8s.io")
    return min((found.value for found in classes if found.global_default), default=0)
