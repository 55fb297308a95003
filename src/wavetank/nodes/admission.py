from __future__ import annotations

from typing import NamedTuple

from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.resources import PODS, Amounts


class Refusal(NamedTuple):
    """Why a kubelet refused a pod, with the reason and message that it puts into the pod's status."""

    reason: str
    message: str


class Room:
    """What the pods on one node have been given of it; whoever does not fit is refused, as a kubelet does."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._pods = 0

    def refusal(self, node: Node, pod: Pod) -> Refusal | None:
        """Returns why the node cannot take the pod, or None."""
        if not pod.spec.node_affinity.matches(node.labels, node.name):
            return Refusal("NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity")
        lacking = self._lacking(node, {PODS: 1, **pod.requests})
        if lacking is None:
            return None
        name, wanted, used, capacity = lacking
        text = f"Node didn't have enough resource: {name}, requested: {wanted}, used: {used}, capacity: {capacity}"
        return Refusal(f"OutOf{name}", text)

    def take(self, requests: Amounts) -> None:
        """Gives a pod what it asks for."""
        self._pods += 1
        for name, amount in requests.items():
            self._used[name] = self._used.get(name, 0) + amount

    def give_back(self, requests: Amounts) -> None:
        """Takes it back."""
        self._pods -= 1
        for name, amount in requests.items():
            self._used[name] -= amount

    def _lacking(self, node: Node, requests: Amounts) -> tuple[str, int, int, int] | None:
        for name, wanted in requests.items():
            used = self._pods if name == PODS else self._used.get(name, 0)
            capacity = node.allocatable.get(name, 0)
            if wanted and used + wanted > capacity:
                return name, wanted, used, capacity
        return None
