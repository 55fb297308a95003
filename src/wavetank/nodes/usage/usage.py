"""The resource usage of pods and nodes."""

from __future__ import annotations

from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND, Nanoseconds
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

    window: Nanoseconds = 15 * SECOND  # over which it is measured

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def measured_at(self) -> Nanoseconds:
        """Returns the time of the values."""
        return self._store.clock.now

    def containers(self, pod: Pod) -> dict[str, Used]:
        """Returns the usage of each container of a pod, by name; empty unless the pod runs."""
        if pod.phase != RUNNING or not pod.node_name:
            return {}
        return {name: self.container(pod, name) for name in container_names(pod)}

    def container(self, pod: Pod, name: str) -> Used:
        """Returns the usage of one container of a running pod."""
        return Used(requested(pod.spec, name, CPU), requested(pod.spec, name, MEMORY) // 1000)

    def nodes(self, nodes: list[Node]) -> dict[str, Used]:
        """Returns the usage of several nodes, by name; it reads every pod once."""
        used = {node.name: Used(node.load.get(CPU, 0), node.load.get(MEMORY, 0)) for node in nodes}
        for pod in self._store.list(POD):
            if pod.node_name in used:
                for each in self.containers(pod).values():
                    used[pod.node_name] = used[pod.node_name].plus(each)
        return used


def container_names(pod: Pod) -> list[str]:
    """Returns the names of a pod's containers."""
    return [str(each.get("name")) for each in pod.spec.manifest.get("containers") or ()]


def requested(spec: PodSpec, container: str, resource: str) -> int:
    """Returns what a container requests of a resource, in thousandths; its limit if it states only that."""
    for given in spec.manifest.get("containers") or ():
        if given.get("name") == container:
            resources = given.get("resources") or {}
            stated = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
            amount = stated.get(resource) or 0
            return milli(amount) if resource == CPU else whole(amount) * 1000
    return 0
