"""Figures of pods that never end: where they are at the end of the run."""

from __future__ import annotations

from typing import Any

import numpy as np

from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.pod import SUCCEEDED
from wavetank.results.columns.decimals import NEVER
from wavetank.results.metrics.podtable import PodTable

_ZONE = "topology.kubernetes.io/zone"


def lasting_figures(pods: PodTable) -> dict[str, Any]:
    """Returns the metrics of a run in which pods still run at the end and none has succeeded; others have none."""
    lasting = (pods.scheduled != NEVER) & (pods.finished == NEVER)
    if not lasting.any() or pods.phase.count(SUCCEEDED):
        return {}
    nodes = {node.name: node for node in pods.recorder.nodes}
    places = pods.node.each(lambda name: name, object)[lasting]
    cpu: dict[str, int] = {}
    zones: dict[str, int] = {node.labels[_ZONE]: 0 for node in nodes.values() if _ZONE in node.labels}
    for name, amount in zip(places.tolist(), pods.cpu[lasting].tolist(), strict=True):
        cpu[name] = cpu.get(name, 0) + amount
        zone = nodes[name].labels.get(_ZONE) if name in nodes else None
        if zone is not None:
            zones[zone] += 1
    shares = [cpu.get(name, 0) / has for name, node in nodes.items() if (has := node.allocatable.get(CPU, 0))]
    return {
        "running_pods": int(np.count_nonzero(lasting)),
        "final_nodes_used": len(cpu),
        "fullest_node": max(shares, default=None),
        "node_imbalance": float(np.std(shares)) if shares else None,
        "zone_imbalance": max(zones.values()) - min(zones.values()) if len(zones) > 1 else None,
    }
