from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from wavetank.cluster.objects.gpus import GPU_INDEX, GpuDemand, gpu_demand
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError, SchedulerError
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import (
    PASSED,
    PROCEED,
    SKIP,
    FilterPlugin,
    PreBindPlugin,
    PreFilterPlugin,
    PreFilterResult,
    Reason,
    ReservePlugin,
    ScorePlugin,
)
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.request import GpuRequest
from wavetank.scheduling.gpusharing.tieorder import TieOrder

if TYPE_CHECKING:
    from wavetank.scheduling.gpusharing.policy import GpuPolicy

_WRONG_MODEL, _TOO_FEW = 1, 2
_REASONS = {
    _WRONG_MODEL: Reason("node(s) didn't have the requested GPU model", resolvable=False),
    _TOO_FEW: Reason("node(s) didn't have enough free GPUs", resolvable=False),
}
_HELPFUL = (
    ClusterEvent.ASSIGNED_POD_DELETE,
    ClusterEvent.NODE_ADD,
    ClusterEvent.NODE_ALLOCATABLE,
    ClusterEvent.NODE_LABEL,
)


class GpuSharing(PreFilterPlugin, FilterPlugin, ScorePlugin, ReservePlugin, PreBindPlugin):
    """Deals out the GPUs of nodes device by device, as a policy prefers, and writes them on the pods.

    A pod's GPU demand is in its annotations (cluster.objects.gpus); its devices become one more of them. SchedulerError
    for an invalid demand: there is no such amount, or no node has such a model.
    """

    activity = "writing down the GPUs"
    timeout = 0
    waits = False

    def __init__(self, name: str, policy: GpuPolicy, turns: TieOrder) -> None:
        self.name = name
        self._policy = policy
        self._nodes = GpuNodes()
        self._turns = turns

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Returns what may free a GPU, or bring one."""
        return dict.fromkeys(_HELPFUL, always)

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Reads the pod's GPU demand; skips pods without one."""
        self._nodes.catch_up(cycle.table)
        demand = self._demand(cycle.pod)
        accepted = self._nodes.accepted(demand.models)
        cycle.state[self.name] = GpuRequest(cycle.pod.spec.nonzero_cpu, *demand, accepted)
        return PROCEED if demand.gpus else SKIP

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects nodes with other models, and those on which too few devices have enough left."""
        request, state = self._request(cycle), self._nodes
        fitting = np.count_nonzero(state.free[nodes] >= request.milli, axis=1)
        codes = np.where(fitting >= request.gpus, PASSED, _TOO_FEW)
        return np.where(request.accepted[state.models[nodes]], codes, _WRONG_MODEL)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Explains a code."""
        return (_REASONS[code],)

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns the policy's scores, less than one point apart by the order of the nodes."""
        return self._policy.score(self._request(cycle), self._nodes, nodes) - self._turns.of(cycle.table, nodes)

    def reserve(self, cycle: Cycle, node_name: str) -> None:
        """Gives the pod its devices."""
        request = self._request(cycle)
        if request.gpus:
            self._nodes.give(cycle.pod, self._devices(request, cycle.table.slots[node_name]))

    def unreserve(self, cycle: Cycle, node_name: str) -> None:
        """Takes them back."""
        self._nodes.take_back(cycle.pod)

    def has_to_prepare(self, cycle: Cycle, node_name: str) -> bool:
        """Returns whether the pod has got devices."""
        return bool(self._nodes.given(cycle.pod))

    def prepare(self, cycle: Cycle, node_name: str, store: Store) -> None:
        """Writes them on the pod."""
        devices = "-".join(map(str, self._nodes.given(cycle.pod)))
        present = store.get("Pod", cycle.pod.namespace, cycle.pod.name)
        metadata = present.manifest.get("metadata") or {}
        annotations = {**present.annotations, GPU_INDEX: devices}
        new = present.copy()
        new.manifest = {**present.manifest, "metadata": {**metadata, "annotations": annotations}}
        store.update(new)

    def _request(self, cycle: Cycle) -> GpuRequest:
        request = cycle.state[self.name]
        assert isinstance(request, GpuRequest)
        return request

    def _demand(self, pod: Pod) -> GpuDemand:
        try:
            demand = gpu_demand(pod)
        except InputError as error:
            raise self._failure(pod, str(error)) from None
        if demand.models and not self._nodes.knows(demand.models):
            raise self._failure(pod, f"no node has the GPU model {' or '.join(dict.fromkeys(demand.models))}")
        return demand

    def _failure(self, pod: Pod, problem: str) -> SchedulerError:
        return SchedulerError(f"policy {self.name} failed on pod {pod.namespace}/{pod.name}: {problem}")

    def _devices(self, request: GpuRequest, slot: int) -> tuple[int, ...]:
        if request.is_share:
            return (self._policy.device(request, self._nodes, slot),)
        return self._nodes.whole_devices(slot, request.gpus)
