"""Fragmentation of GPUs: how much of what is free is of no use to the pods that usually come.

From: Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent,
USENIX ATC 2023.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wavetank.cluster.objects.gpus import WHOLE
from wavetank.kernel.compiling import compiled

FULL_SCALE = 100  # of scores


@compiled()
def fragment(cpu: int, free: Any, model: int, typical: Any) -> float:
    """Returns the thousandths of a node's GPUs that are free and lost, as the mean over the typical pods.

    To a pod that the node cannot take, for want of CPU, devices or the model, all that is free is lost; so it is to a
    pod without GPUs. To others what is left of devices with too little for them. Sums are kept by cause, as published:
    the order of additions decides between nodes that differ by rounding alone.
    """
    kinds_cpu, kinds_milli, kinds_gpus, accepted, shares = typical
    idle = 0
    for device in range(len(free)):
        idle += free[device]
    lacks_both = lacks_gpus = lacks_cpu = wants_none = wants_none_lacks_cpu = no_access = 0.0
    for kind in range(len(shares)):
        milli, share, has_cpu = kinds_milli[kind], shares[kind], cpu >= kinds_cpu[kind]
        if milli == 0:
            if has_cpu:
                wants_none += share * idle
            else:
                wants_none_lacks_cpu += share * idle
            continue
        if not accepted[kind, model]:
            no_access += share * idle
            continue
        useless, fitting = 0, 0
        for device in range(len(free)):
            if free[device] >= milli:
                fitting += 1
            else:
                useless += free[device]
        if fitting >= kinds_gpus[kind]:
            if has_cpu:
                lacks_gpus += share * useless
            else:
                lacks_cpu += share * idle
        elif has_cpu:
            lacks_gpus += share * idle
        else:
            lacks_both += share * idle
    return lacks_both + lacks_gpus + lacks_cpu + wants_none + wants_none_lacks_cpu + no_access


@compiled()
def descend(nodes: Any, cpu_free: Any, free: Any, models: Any, typical: Any, request: Any, scores: Any) -> int:
    """Scores the nodes by how much less is lost after the pod, at its best device if it wants a part of one.

    `request` are CPU, GPUs and thousandths of each. Returns the best device on the last of the nodes, -1 if the pod
    shares none.
    """
    cpu, count, milli = request
    row = np.empty(free.shape[1], np.int64)
    best_device = -1
    for i in range(len(nodes)):
        node = nodes[i]
        row[:] = free[node]
        cpu_left, model = cpu_free[node] - cpu, models[node]
        before = fragment(cpu_free[node], row, model, typical)
        best_device, best = -1, -1
        if 0 < milli < WHOLE:
            for device in range(len(row)):
                if row[device] < milli or _is_twin(row, device):
                    continue
                row[device] -= milli
                score = _score(before - fragment(cpu_left, row, model, typical))
                row[device] += milli
                if score > best:
                    best_device, best = device, score
        else:
            _take_whole(row, count)
            best = _score(before - fragment(cpu_left, row, model, typical))
        scores[i] = best
    return best_device


@compiled()
def _is_twin(row: Any, device: int) -> bool:
    """Returns whether an earlier device has as much left, so that this one would score the same."""
    twins = 0
    for other in range(device):
        twins += row[other] == row[device]
    return twins > 0


@compiled()
def _take_whole(row: Any, count: int) -> None:
    for device in range(len(row)):
        if count > 0 and row[device] == WHOLE:
            row[device] = 0
            count -= 1


@compiled()
def _score(less: float) -> int:
    """Returns how much less is lost, on a scale from 0 to 100 where 50 is as much as before."""
    return int(1.0 / (1.0 + np.exp(-less / WHOLE)) * FULL_SCALE)


@compiled()
def total_fragment(cpu_free: Any, free: Any, models: Any, typical: Any) -> float:
    """Returns what is lost on all nodes."""
    amount = 0.0
    for node in range(len(cpu_free)):
        amount += fragment(cpu_free[node], free[node], models[node], typical)
    return amount
