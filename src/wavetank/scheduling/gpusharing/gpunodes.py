from __future__ import annotations

import numpy as np

from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.gpus import (
    GPU,
    GPU_INDEX,
    GPU_MODEL,
    MOST_GPUS,
    WHOLE,
    GpuDemand,
    device_indices,
    gpu_demand,
)
from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.gpusharing.request import SHARES

NO_MODEL = -1  # the number of the model of nodes without GPUs


class GpuNodes:
    """The GPUs of the nodes, device by device, in rows that are slots of a NodeTable.

    `free` are thousandths per device, 0 where a node has no such device; `gpus` is how many it has, `models` the number
    of their model, `gpu_free` the sum of what is free, `cpu_free` in thousandths of a core. `tenants` counts the pods
    by their size: those with a part of a GPU, with one, with two, … `changed` is the table's version at which a node
    changed last, `version` that of the state.
    """

    def __init__(self) -> None:
        self.free: IntArray = np.zeros((0, 0), np.int64)
        self.tenants: IntArray = np.zeros((0, 1), np.int64)
        self.gpus, self.models, self.gpu_free, self.cpu_free = np.zeros((4, 0), np.int64)
        self._numbers: dict[str, int] = {}
        self.changed: IntArray = np.zeros(0, np.int64)
        self.version = 0
        self._given: dict[str, tuple[int, ...]] = {}  # devices of pods whose annotation is still under way, by uid

    def catch_up(self, table: NodeTable) -> None:
        """Applies changes: of a changed node, all pods are counted again."""
        if table.version == self.version:
            return
        self._grow(len(table.pod_count))
        for slot in np.flatnonzero(table.changed > self.version).tolist():
            self._read(table, slot)
        self.version, self.changed = table.version, table.changed

    def give(self, pod: Pod, devices: tuple[int, ...]) -> None:
        """Keeps the devices that a pod will have when it is bound."""
        self._given[pod.uid] = devices

    def take_back(self, pod: Pod) -> None:
        """Forgets what was given to a pod that did not get to its node."""
        self._given.pop(pod.uid, None)

    def given(self, pod: Pod) -> tuple[int, ...]:
        """Returns the devices that were kept for a pod."""
        return self._given.get(pod.uid, ())

    def knows(self, models: tuple[str, ...]) -> bool:
        """Returns whether any node has, or had, GPUs of one of these models."""
        return any(model in self._numbers for model in models)

    def accepted(self, models: tuple[str, ...]) -> BoolArray:
        """Returns for each number of a model whether it is one of these; all of them, if none is named.

        There is one more at the end, which is what NO_MODEL refers to.
        """
        wanted: BoolArray = np.full(len(self._numbers) + 1, not models)
        wanted[[self._numbers[model] for model in models if model in self._numbers]] = True
        return wanted

    def whole_devices(self, slot: int, count: int) -> tuple[int, ...]:
        """Returns the first unused devices of a node; fewer than `number` if there are not enough."""
        return tuple(np.flatnonzero(self.free[slot] == WHOLE)[:count].tolist())

    def tightest_device(self, slot: int, milli: int) -> int:
        """Returns the device with the least that is enough; the first of equals. There must be one."""
        free = self.free[slot]
        return int(np.argmin(np.where(free >= milli, free, WHOLE + 1)))

    # reading a node

    def _read(self, table: NodeTable, slot: int) -> None:
        node = table.nodes[slot]
        gpus = min(node.allocatable.get(GPU, 0), MOST_GPUS) if node is not None else 0
        self._widen(gpus)
        self.gpus[slot] = gpus
        self.models[slot] = self._number(node.labels.get(GPU_MODEL, "")) if node is not None and gpus else NO_MODEL
        row = table.rows[CPU]
        self.cpu_free[slot] = table.allocatable[row, slot] - table.requested[row, slot]
        self.free[slot, :gpus], self.free[slot, gpus:] = WHOLE, 0
        self.tenants[slot] = 0
        if gpus:
            for pod in table.pods[slot].values():
                self._place(pod, slot)
        self.gpu_free[slot] = self.free[slot].sum()

    def _place(self, pod: Pod, slot: int) -> None:
        try:
            demand = gpu_demand(pod)
        except InputError:
            return  # another scheduler has bound it, without devices
        if demand.gpus:
            devices = self._devices(pod, demand, slot)
            self.free[slot, devices] = np.maximum(self.free[slot, devices] - demand.milli, 0)
            self.tenants[slot, SHARES if demand.is_share else min(demand.gpus, self.tenants.shape[1] - 1)] += 1

    def _devices(self, pod: Pod, demand: GpuDemand, slot: int) -> list[int]:
        """Returns the devices of a pod; without an annotation, those that it would get."""
        known = device_indices(str(pod.annotations.get(GPU_INDEX, "")))
        if known:
            self._given.pop(pod.uid, None)
        else:
            known = self.given(pod)
        if known:
            return [device for device in known if device < self.gpus[slot]]
        if demand.is_share:
            return [self.tightest_device(slot, demand.milli)]
        return list(self.whole_devices(slot, demand.gpus))

    def _number(self, model: str) -> int:
        return self._numbers.setdefault(model, len(self._numbers))

    def _grow(self, slots: int) -> None:
        more = slots - len(self.gpus)
        if more > 0:
            self.free = np.pad(self.free, ((0, more), (0, 0)))
            self.tenants = np.pad(self.tenants, ((0, more), (0, 0)))
            self.models = np.pad(self.models, (0, more), constant_values=NO_MODEL)
            self.gpus, self.gpu_free, self.cpu_free = (
                np.pad(column, (0, more)) for column in (self.gpus, self.gpu_free, self.cpu_free)
            )

    def _widen(self, devices: int) -> None:
        more = devices - self.free.shape[1]
        if more > 0:
            self.free = np.pad(self.free, ((0, 0), (0, more)))
            self.tenants = np.pad(self.tenants, ((0, 0), (0, more)))
