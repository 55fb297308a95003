from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import FastPathPlugin, ScorePlugin
from wavetank.scheduling.framework.static import FacetCache

ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_CONTROLLERS = ("ReplicationController", "ReplicaSet")

Controller = tuple[str, str]  # kind and uid


class NodePreferAvoidPods(FastPathPlugin, ScorePlugin):
    """Gives 0 to nodes whose annotation names the pod's ReplicaSet or ReplicationController, else 100; until 1.22."""

    name = "NodePreferAvoidPods"
    HIGHEST = 100

    def __init__(self) -> None:
        self._scores = FacetCache(self._rate)

    def passes_now(self, cycle: Cycle) -> bool:
        """Passes pods without a controller of these kinds."""
        return _controller(cycle.pod) is None

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Looks up the annotations of the nodes for the pod's controller."""
        controller = _controller(cycle.pod)
        if controller is None:
            return np.full(len(nodes), self.HIGHEST, np.int64)
        scores: IntArray = self._scores.answers(controller, cycle.table)[nodes]
        return scores

    def _rate(self, controller: Controller, node: Node) -> int:
        return 0 if controller in _avoided(node.annotations.get(ANNOTATION, "")) else self.HIGHEST


def _controller(pod: Pod) -> Controller | None:
    owners = pod.manifest["metadata"].get("ownerReferences") or ()
    owner = next((owner for owner in owners if owner.get("controller")), None)
    if owner is None or owner.get("kind") not in _CONTROLLERS:
        return None
    return str(owner["kind"]), str(owner.get("uid", ""))


def _avoided(text: str) -> list[Controller]:
    """Reads an annotation; an invalid one names no controller, as in kube-scheduler."""
    try:
        found = [_signature(avoid) for avoid in json.loads(text)["preferAvoidPods"]] if text else []
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    return found


def _signature(avoid: Mapping[str, Any]) -> Controller:
    controller = avoid["podSignature"]["podController"]
    return str(controller.get("kind", "")), str(controller.get("uid", ""))
