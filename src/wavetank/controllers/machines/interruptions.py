"""Interruptions of spot machines: a notice, then the machine is gone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from wavetank.cluster.objects.clusterapi import INTERRUPTED, MACHINE_OF_NODE, NAMESPACE_OF_NODE
from wavetank.cluster.objects.groupkinds import MACHINE, NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.errors import ApiError, NotFoundError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.evictions import Evictions
from wavetank.controllers.framework.pods import is_daemon_set_pod, is_mirror_pod
from wavetank.kernel.durations import SECOND, Nanoseconds

_RETRY: Nanoseconds = 5 * SECOND  # as kubectl drain: until the next try of an eviction that a budget refused
_UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_COMPONENT = "wavetank-machines"


@dataclass(frozen=True, slots=True)
class Interruption:
    """When a machine is taken back: the notice comes `after` its node exists, the machine goes `notice` later."""

    after: Nanoseconds
    notice: Nanoseconds


class SpotMarket(Protocol):
    """Decides which machines are interrupted."""

    def interruption(self, machine: Resource) -> Interruption | None:
        """Returns when a machine that has just become a node is interrupted, None for never."""


class Interruptions:
    """Interrupts spot machines.

    With the notice the node is cordoned and its pods are evicted, again every 5 s if a disruption budget refuses it.
    When the notice is over the machine is deleted, whatever is still on it, and its MachineSet orders another.
    """

    def __init__(self, context: ControllerContext, market: SpotMarket, evictions: Evictions) -> None:
        self._context = context
        self._clock = context.clock
        self._market = market
        self._evictions = evictions
        context.store.subscribe(NODE, added=self._added)
        for node in context.store.list(NODE):
            self._added(node)

    def _added(self, node: Resource) -> None:
        machine = self._machine_of(node)
        planned = None if machine is None else self._market.interruption(machine)
        if planned is not None:
            step = partial(self._notify, node.name, node.uid, planned.notice)
            self._clock.after(planned.after, step, background=True)  # no reason for a run to go on

    def _notify(self, name: str, uid: str, notice: Nanoseconds) -> None:
        node = self._context.store.find(NODE, "", name)
        if not isinstance(node, Node) or node.uid != uid:
            return
        machine = self._machine_of(node)
        if machine is None or machine.deleted is not None:
            return
        self._mark(machine)
        message = f"The spot machine will be taken back in {notice / SECOND:g} s"
        self._context.record_event(node, "Warning", "SpotInterruption", message, _COMPONENT)
        until = self._clock.now + notice
        if notice:
            self._cordon(node)
            self._drain(name, until)
        self._clock.at(until, partial(self._take_back, machine.key, machine.uid))

    def _mark(self, machine: Resource) -> None:
        document = machine.render()
        metadata = document["metadata"]
        noted = {INTERRUPTED: render_time(self._clock.now)}
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **noted}
        self._context.client.update(machine, document)

    def _cordon(self, node: Node) -> None:
        if node.unschedulable:
            return
        document = node.render()
        spec = document["spec"] = dict(document.get("spec") or {})
        spec["unschedulable"] = True
        spec["taints"] = [*(spec.get("taints") or []), _UNSCHEDULABLE]
        self._context.client.update(node, document)

    def _drain(self, node: str, until: Nanoseconds) -> None:
        """Evicts the pods of a node; tries again those that a disruption budget protects."""
        refused = [pod for pod in self._pods_on(node) if not self._evict(pod)]
        if refused and self._clock.now + _RETRY < until:
            self._clock.after(_RETRY, partial(self._drain, node, until))

    def _evict(self, pod: Pod) -> bool:
        try:
            self._evictions.evict(pod, pod.spec.grace_s)
        except NotFoundError:
            pass
        except ApiError:
            return False
        return True

    def _pods_on(self, node: str) -> list[Pod]:
        bound = (pod for pod in self._context.store.list(POD) if isinstance(pod, Pod) and pod.node_name == node)
        drained = (pod for pod in bound if not is_daemon_set_pod(pod) and not is_mirror_pod(pod))
        return [pod for pod in drained if pod.deleted is None and not pod.finished]

    def _take_back(self, key: tuple[str, str], uid: str) -> None:
        machine = self._context.store.find(MACHINE, *key)
        if machine is not None and machine.uid == uid and machine.deleted is None:
            self._context.client.delete(machine)

    def _machine_of(self, node: Resource) -> Resource | None:
        name = node.annotations.get(MACHINE_OF_NODE)
        namespace = node.annotations.get(NAMESPACE_OF_NODE, "default")
        return None if name is None else self._context.store.find(MACHINE, namespace, name)
