from __future__ import annotations

from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.hooks import Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session

_SYSTEM_CLASSES = frozenset({"system-cluster-critical", "system-node-critical"})
_SYSTEM_NAMESPACE = "kube-system"


class Conformance(Plugin):
    """Protects the pods of the system from eviction."""

    name = "conformance"

    def open(self, session: Session) -> Hooks:
        """Takes part in evictions."""
        return Hooks(preemptable=_ordinary, reclaimable=_ordinary)


def _ordinary(taker: Task, candidates: list[Task]) -> list[Task]:
    return [
        task
        for task in candidates
        if task.pod.spec.priority_class not in _SYSTEM_CLASSES and task.pod.namespace != _SYSTEM_NAMESPACE
    ]
