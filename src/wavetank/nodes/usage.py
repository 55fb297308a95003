"""What pods and nodes use: the one place that answers it."""

from __future__ import annotations

from typing import Any, NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.store.store import Store
from wavetank.quantity import milli, whole


class Used(NamedTuple):
    """An amount of both resources that kubelets measure: thousandths of a core, and bytes."""

    cpu: int = 0
    memory: int = 0

    def plus(self, other: Used) -> Used:
        """Returns the sum of two amounts."""
        return Used(self.cpu + other.cpu, self.memory + other.memory)


class Usage:
    """What is used now: a container of a running pod uses what it requests, no more and no less.

    A container that requests nothing uses nothing. A node uses what its pods use and what other programs use of it
    (its `load`).
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def containers(self, pod: Pod) -> dict[str, Used]:
        """Returns what each container of a pod uses, by name; nothing unless the pod runs."""
        if pod.phase != RUNNING or not pod.node_name:
            return {}
        return {str(each.get("name")): _requested(each) for each in pod.spec.manifest.get("containers") or ()}

    def nodes(self, nodes: list[Node]) -> dict[str, Used]:
        """Returns what several nodes use, by name; costs one look at every pod."""
        used = {node.name: Used(node.load.get(CPU, 0), node.load.get(MEMORY, 0)) for node in nodes}
        for pod in self._store.list(POD):
            if pod.node_name in used:
                for each in self.containers(pod).values():
                    used[pod.node_name] = used[pod.node_name].plus(each)
        return used


def _requested(container: dict[str, Any]) -> Used:
    resources = container.get("resources") or {}
    stated = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return Used(milli(stated.get("cpu") or 0), whole(stated.get("memory") or 0))
