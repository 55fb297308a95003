from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import HostPort

_REJECTED = "Pod was rejected:"
_NO_MATCH = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
_ANY = "0.0.0.0"
_LOOKED_AT_FIRST = (PODS, CPU, MEMORY, EPHEMERAL_STORAGE)  # in a message, the first of several insufficient resources


class Refusal(NamedTuple):
    """Why a kubelet rejected a pod: the reason and message in the pod's status."""

    reason: str
    message: str


_NO_PORT = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
PORT_TAKEN = Refusal("NodePorts", f"{_REJECTED} {_NO_PORT}")


_OS = "kubernetes.io/os"
_WRONG_OS = "Failed to admit pod as the OS field doesn't match node OS"
WRONG_OS = Refusal("PodOSNotSupported", _WRONG_OS)


def is_of_other_os(pod: Pod, node: Node) -> bool:
    """Tells whether a pod is for another operating system than its node's, which is Linux unless a label says so."""
    wanted = (pod.spec.manifest.get("os") or {}).get("name")
    return wanted is not None and wanted != node.labels.get(_OS, "linux")


def ports_conflict(wanted: Collection[HostPort], taken: Collection[HostPort]) -> bool:
    """Tells whether a host port is in both, on the same address or on all of them."""
    for address, protocol, port in wanted:
        for other in taken:
            if (protocol, port) == other[1:] and (address == other[0] or _ANY in (address, other[0])):
                return True
    return False


class FreeResources:
    """The free resources of one node; a pod that does not fit is rejected, as a kubelet does.

    They are negative on a node that is over-committed: in the snapshot, or because it shares.
    """

    __slots__ = ("_left",)

    def __init__(self, node: Node) -> None:
        self._left = dict(node.allocatable)

    def resize(self, old: Node, new: Node) -> None:
        """Applies the changed allocatable of a new version of the node."""
        for name in {**old.allocatable, **new.allocatable}:
            self._left[name] = self._left.get(name, 0) + _capacity(new, name) - _capacity(old, name)

    def admit(self, node: Node, pod: Pod) -> Refusal | None:
        """Reserves a pod's requests, or returns why the node cannot admit it."""
        left, requests = self._left, pod.spec.requests
        fits = left.get(PODS, 0) > 0
        for name, wanted in requests.items():
            if wanted and wanted > left.get(name, 0):
                fits = False
        if not fits:
            return self._lack(node, {PODS: 1, **requests})
        affinity = pod.spec.node_affinity
        if not affinity.allows_all and not affinity.matches(node.labels, node.name):
            return Refusal("NodeAffinity", f"{_REJECTED} {_NO_MATCH}")
        self.reserve(requests)
        return None

    def share(self, node: Node, pod: Pod) -> None:
        """Takes a pod whether it fits or not."""
        self.reserve(pod.spec.requests)

    def _lack(self, node: Node, requests: Amounts) -> Refusal:
        lacking = [name for name, wanted in requests.items() if wanted and wanted > self._left.get(name, 0)]
        name = next((name for name in _LOOKED_AT_FIRST if name in lacking), lacking[0])
        capacity = _capacity(node, name)
        amounts = f"requested: {requests[name]}, used: {capacity - self._left.get(name, 0)}, capacity: {capacity}"
        return Refusal(f"OutOf{name}", f"{_REJECTED} Node didn't have enough resource: {name}, {amounts}")

    def reserve(self, requests: Amounts) -> Amounts:
        """Reserves a pod's requests without a check, and returns them."""
        left = self._left
        left[PODS] = left.get(PODS, 0) - 1
        for name, amount in requests.items():
            left[name] = left.get(name, 0) - amount
        return requests

    def release(self, requests: Amounts) -> None:
        """Releases the requests of a pod."""
        left = self._left
        left[PODS] += 1
        for name, amount in requests.items():
            left[name] += amount


def _capacity(node: Node, name: str) -> int:
    return node.allocatable.get(name, 0)
