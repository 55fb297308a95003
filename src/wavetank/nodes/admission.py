from __future__ import annotations

from typing import NamedTuple

from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Amounts

_REJECTED = "Pod was rejected:"
_NO_MATCH = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
_LOOKED_AT_FIRST = (PODS, CPU, MEMORY, EPHEMERAL_STORAGE)  # where several lack, the first one is named


class Refusal(NamedTuple):
    """Why a kubelet refused a pod, with the reason and message that it puts into the pod's status."""

    reason: str
    message: str


class Room:
    """What the pods on one node have been given of it; whoever does not fit is refused, as a kubelet does."""

    __slots__ = ("_pods", "_used")

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._pods = 0

    def admit(self, node: Node, pod: Pod) -> Refusal | None:
        """Gives a pod what it asks for, or returns why the node cannot take it."""
        capacity, used, requests = node.allocatable, self._used, pod.spec.requests
        fits = self._pods < capacity.get(PODS, 0)
        for name, wanted in requests.items():
            if wanted and wanted > capacity.get(name, 0) - used.get(name, 0):
                fits = False
        if not fits:
            return self._lack(node, {PODS: 1, **requests})
        affinity = pod.spec.node_affinity
        if not affinity.allows_all and not affinity.matches(node.labels, node.name):
            return Refusal("NodeAffinity", f"{_REJECTED} {_NO_MATCH}")
        self.take(requests)
        return None

    def _lack(self, node: Node, requests: Amounts) -> Refusal:
        lacking = [name for name, wanted in requests.items() if wanted and wanted > self._left(node, name)]
        name = next((name for name in _LOOKED_AT_FIRST if name in lacking), lacking[0])
        amounts = f"requested: {requests[name]}, used: {self._taken(name)}, capacity: {_capacity(node, name)}"
        return Refusal(f"OutOf{name}", f"{_REJECTED} Node didn't have enough resource: {name}, {amounts}")

    def take(self, requests: Amounts) -> Amounts:
        """Gives a pod what it asks for, and returns it."""
        self._pods += 1
        used = self._used
        for name, amount in requests.items():
            used[name] = used.get(name, 0) + amount
        return requests

    def give_back(self, requests: Amounts) -> None:
        """Takes it back."""
        self._pods -= 1
        used = self._used
        for name, amount in requests.items():
            used[name] -= amount

    def _left(self, node: Node, name: str) -> int:
        return _capacity(node, name) - self._taken(name)

    def _taken(self, name: str) -> int:
        return self._pods if name == PODS else self._used.get(name, 0)


def _capacity(node: Node, name: str) -> int:
    return node.allocatable.get(name, 0)
