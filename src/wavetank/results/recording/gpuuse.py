from __future__ import annotations

from collections.abc import Iterable, Iterator

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.gpus import GPU_INDEX, gpu_demand
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.gpusharing.fragmentation import total_fragment
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.podmix import PodMix
from wavetank.simulation.observer import Observer

Key = tuple[str, str]  # namespace and name of a pod


class GpuUse(Observer):
    """Records GPU requests and the devices given to pods, in a run that shares GPUs."""

    def __init__(self) -> None:
        self._wanted: dict[Key, int] = {}
        self._devices: dict[Key, str] = {}

    def join(self, context: ActorContext) -> None:
        """Watches pods."""
        self._store = context.store
        self._store.subscribe(POD, added=self._added, modified=self._modified)

    def wanted(self, key: Key) -> int:
        """Returns the GPUs that a pod requests in all, in milli-GPU."""
        return self._wanted.get(key, 0)

    def devices(self, key: Key) -> str:
        """Returns the numbers of the devices that a pod was given, such as 0-1-3; empty if it was given none."""
        return self._devices.get(key, "")

    def fragmentation(self, known: Iterable[Pod]) -> float:
        """Returns the milli-GPUs that are free now, but of no use to pods like the `known` ones."""
        table, state, mix = NodeTable(), GpuNodes(), PodMix()
        for node in self._store.list(NODE):
            table.set_node(node)
        for pod in _bound(self._store.list(POD)):
            table.add_pod(pod, pod.node_name)
        mix.add_pods(known)
        state.catch_up(table)
        return float(total_fragment(state.cpu_free, state.free, state.models, mix.typical(state)))

    # what the store tells

    def _added(self, new: Pod) -> None:
        """Records the request of a pod."""
        try:
            self._wanted[new.key] = gpu_demand(new).total
        except InputError:
            return  # the scheduler reports it, if it knows of GPUs

    def _modified(self, old: Pod, new: Pod) -> None:
        """Records the devices of a pod that was bound."""
        if new.node_name and not old.node_name and (devices := new.annotations.get(GPU_INDEX)):
            self._devices[new.key] = devices


def _bound(pods: Iterable[Pod]) -> Iterator[Pod]:
    return (pod for pod in pods if pod.node_name and not pod.finished)
