"""The resource usage of pods and nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.store.store import Store
from wavetank.quantity import milli, whole


class Used(NamedTuple):
    """An amount of both resources that kubelets measure: CPU in thousandths of a core, memory in bytes."""

    cpu: int = 0
    memory: int = 0

    def plus(self, other: Used) -> Used:
        """Returns the sum of two amounts."""
        return Used(self.cpu + other.cpu, self.memory + other.memory)


class Usage:
    """The current usage: a container of a running pod uses exactly what it requests.

    A container without requests uses nothing. A node uses what its pods use, plus its `load` of other programs.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def containers(self, pod: Pod) -> dict[str, Used]:
        """Returns the usage of each container of a pod, by name; empty unless the pod runs."""
        if pod.phase != RUNNING or not pod.node_name:
            return {}
        return {str(each.get("name")): _requested(each) for each in pod.spec.manifest.get("containers") or ()}

    def nodes(self, nodes: list[Node]) -> dict[str, Used]:
        """Returns the usage of several nodes, by name; it reads every pod once."""
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
