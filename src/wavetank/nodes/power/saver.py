from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.power import BOOTING, OFF, ON
from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import SCHEDULERS, Timer
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.power.switch import PowerSwitch, power_of, power_state


@dataclass(frozen=True)
class SavingOptions:
    """A node without pods for `off_after` is switched off, except for `spare` of them."""

    off_after: Nanoseconds
    spare: int = 0


class PowerSaver:
    """Switches off nodes without pods, and on again as many as pending pods need.

    A node needs a power model for it. Nodes are switched on in the order of their creation, as many as the CPU that
    pending pods request fills; those that are booting count. A pod that waits for another reason than CPU wakes one
    node.
    """

    def __init__(self, context: ActorContext, options: SavingOptions, switch: PowerSwitch) -> None:
        self._store, self._clock = context.store, context.clock
        self._options = options
        self._switch = switch
        self._pods: defaultdict[str, set[str]] = defaultdict(set)  # uids by node
        self._pending: dict[str, int] = {}  # milli-CPU by uid
        self._timers: dict[str, Timer] = {}
        self._looking = False
        context.store.subscribe(NODE, added=self._node_seen, modified=lambda _, new: self._node_seen(new))
        context.store.subscribe(
            POD, added=self._pod_seen, modified=lambda _, new: self._pod_seen(new), deleted=self._pod_gone
        )
        for pod in context.store.list(POD):
            assert isinstance(pod, Pod)
            self._pod_seen(pod)
        for node in self._nodes():
            self._node_seen(node)

    def _node_seen(self, node: Node) -> None:
        if power_state(node) == ON and power_of(node) is not None:
            self._count_down(node.name)

    def _pod_seen(self, pod: Pod) -> None:
        if pod.finished or pod.deleted is not None:
            self._pod_gone(pod)
        elif pod.node_name:
            self._pending.pop(pod.uid, None)
            self._pods[pod.node_name].add(pod.uid)
            timer = self._timers.pop(pod.node_name, None)
            if timer is not None:
                timer.cancel()
        elif not pod.gates:
            self._pending[pod.uid] = pod.spec.requests.get(CPU, 0)
            self._look()

    def _pod_gone(self, pod: Pod) -> None:
        self._pending.pop(pod.uid, None)
        pods = self._pods.get(pod.node_name)
        if pods is not None and pod.uid in pods:
            pods.discard(pod.uid)
            self._count_down(pod.node_name)

    def _count_down(self, name: str) -> None:
        """Starts the time after which an empty node is switched off."""
        if not self._pods.get(name) and name not in self._timers:
            self._timers[name] = self._clock.after(self._options.off_after, lambda: self._expire(name), background=True)

    def _expire(self, name: str) -> None:
        del self._timers[name]
        empty = sum(power_state(node) == ON and not self._pods.get(node.name) for node in self._nodes())
        if empty > self._options.spare and not self._pending:
            self._switch.off(name)
        else:
            self._count_down(name)

    def _look(self) -> None:
        """Looks at pending pods after the schedulers have seen them."""
        if not self._looking:
            self._looking = True
            self._clock.at(self._clock.now, self._wake_nodes, SCHEDULERS)

    def _wake_nodes(self) -> None:
        self._looking = False
        if not self._pending:
            return
        nodes = self._nodes()
        asleep = [node for node in nodes if power_state(node) == OFF]
        if not asleep:
            return
        size = max(1, asleep[0].allocatable.get(CPU, 0))
        booting = sum(power_state(node) == BOOTING for node in nodes)
        wanted = max(1, math.ceil(sum(self._pending.values()) / size)) - booting
        for node in asleep[: max(0, wanted)]:
            self._switch.on(node.name)

    def _nodes(self) -> list[Node]:
        return [node for node in self._store.list(NODE) if isinstance(node, Node) and power_of(node) is not None]
