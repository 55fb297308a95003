from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.power import BOOTING, OFF, ON, POWER, POWER_STATE, SHUTTING_DOWN, PowerModel, read_power
from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.nodes.faults import cordoned, is_daemon, uncordoned


def power_of(node: Node) -> PowerModel | None:
    """Returns the power model of a node, or None."""
    annotation = node.annotations.get(POWER)
    return None if annotation is None else read_power(annotation, node.allocatable.get(CPU, 0) / 1000)


def power_state(node: Node) -> str:
    """Returns whether a node is on, off, booting or shutting down."""
    return node.annotations.get(POWER_STATE, ON)


class PowerSwitch:
    """Switches nodes off and on.

    A node that is shutting down, off or booting takes no pods; the annotation `wavetank.dev/power-state` tells.
    Requests take effect at the same instant, after the caller has returned. A node without a power model takes no
    time for either.
    """

    def __init__(self, context: ActorContext) -> None:
        self._store = context.store
        self._clock = context.clock

    def off(self, name: str) -> bool:
        """Asks to shut down a node; returns False if it is not on or pods other than DaemonSets' are on it."""
        node = self._node(name)
        if node is None or power_state(node) != ON or self._is_used(name):
            return False
        self._clock.at(self._clock.now, lambda: self._begin(name, ON, SHUTTING_DOWN))
        return True

    def on(self, name: str) -> bool:
        """Asks to boot a node; returns False if it is not off."""
        node = self._node(name)
        if node is None or power_state(node) != OFF:
            return False
        self._clock.at(self._clock.now, lambda: self._begin(name, OFF, BOOTING))
        return True

    def _begin(self, name: str, now: str, then: str) -> None:
        node = self._node(name)
        if node is None or power_state(node) != now or (then == SHUTTING_DOWN and self._is_used(name)):
            return
        model = power_of(node)
        if then == SHUTTING_DOWN:
            takes = model.shutdown.time if model else 0
            self._store.update(_in_state(cordoned(node), then))
            self._after(takes, name, then, lambda old: _lost(_in_state(old, OFF)))
        else:
            takes = model.boot.time if model else 0
            self._store.update(_in_state(node, then))
            self._after(takes, name, then, lambda old: _found(uncordoned(_in_state(old, ON))))

    def _after(self, delay: int, name: str, state: str, change: Callable[[Node], Node]) -> None:
        def end() -> None:
            node = self._node(name)
            if node is not None and power_state(node) == state:
                self._store.update(change(node))

        self._clock.after(delay, end)

    def _node(self, name: str) -> Node | None:
        node = self._store.find(NODE, "", name)
        return node if isinstance(node, Node) else None

    def _is_used(self, name: str) -> bool:
        return any(isinstance(pod, Pod) and pod.node_name == name and _stays(pod) for pod in self._store.list(POD))


def _stays(pod: Pod) -> bool:
    """Returns whether a pod keeps its node on."""
    return not pod.finished and not is_daemon(pod)


def _in_state(node: Node, state: str) -> Node:
    new = node.copy()
    metadata: dict[str, Any] = dict(node.manifest.get("metadata") or {})
    annotations = {key: value for key, value in node.annotations.items() if key != POWER_STATE}
    metadata["annotations"] = annotations if state == ON else {**annotations, POWER_STATE: state}
    new.manifest = {**node.manifest, "metadata": metadata}
    return new


def _lost(node: Node) -> Node:
    node.ready = False
    return node


def _found(node: Node) -> Node:
    node.ready = True
    return node
