"""The cloud behind node groups: when machines become nodes, which never do, and when spot ones are taken back."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.clusterapi import CAPACITY, INTERRUPTED
from wavetank.cluster.objects.groupkinds import MACHINE_DEPLOYMENT, MACHINE_SET, NODE
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.machines.interruptions import Interruption
from wavetank.controllers.machines.provider import Boot, NoTemplateError
from wavetank.kernel.distributions import drawing
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.scaling.scalablegroup import ScalableGroup, group_of_annotations


class _Draws:
    """The random streams of one group: boot, failure, halt and lifetime of machines."""

    def __init__(self, group: ScalableGroup, stream: Callable[[str], random.Random]) -> None:
        self.group = group
        self.boot = drawing(group.boot, stream("boot"))
        self.halt = drawing(group.halt, stream("halt"))
        self.failures = stream("failures")
        spot = group.spot
        self.lifetime = None if spot is None else drawing(spot.lifetime, stream("interruptions"))


class DrawnMachines:
    """Draws for each machine when it becomes a node, if ever; those of the start are nodes at once.

    A MachineSet that is none of the groups is one by its annotations, without failures and interruptions.
    """

    def __init__(self, context: ActorContext, groups: Mapping[str, ScalableGroup]) -> None:
        self._context = context
        self._clock = context.clock
        self._store = context.store
        self._start = context.clock.now
        self._draws = {name: self._drawing(name, group) for name, group in groups.items()}
        self._announced: dict[str, _Draws] = {}  # of other MachineSets, by their annotations

    def boot(self, machine: Resource, serial: int) -> Boot | None:
        """Returns when a machine becomes a node."""
        draws = self._of(machine)
        if draws is None:
            wanted = f"{CAPACITY}cpu and {CAPACITY}memory"
            raise NoTemplateError(f"the MachineSet of machine {machine.name} has no annotations {wanted}")
        if self._clock.now == self._start and serial <= draws.group.initial:
            return Boot(0)
        delay = draws.boot()
        return None if draws.failures.random() < draws.group.failing else Boot(delay)

    def halt(self, machine: Resource) -> Nanoseconds:
        """Returns when the node of a machine is gone; at once without a node, or if the cloud has taken it back."""
        draws = self._of(machine)
        if draws is None or INTERRUPTED in machine.annotations:
            return 0
        return draws.halt() if self._store.find(NODE, "", machine.name) is not None else 0

    def node(self, machine: Resource) -> Mapping[str, Any]:
        """Returns the node of a machine."""
        draws = self._of(machine)
        assert draws is not None, "only machines that boot become nodes"
        return draws.group.node(machine.name)

    def interruption(self, machine: Resource) -> Interruption | None:
        """Returns when a machine is taken back."""
        draws = self._of(machine)
        if draws is None or draws.lifetime is None or draws.group.spot is None:
            return None
        return Interruption(draws.lifetime(), draws.group.spot.notice)

    def _of(self, machine: Resource) -> _Draws | None:
        """Returns the draws of a machine's group; None if its MachineSet does not say what its nodes have."""
        name = machine.name.rpartition("-")[0]
        key = name if machine.namespace == "default" else f"{machine.namespace}/{name}"
        if key in self._draws:
            return self._draws[key]
        group = self._announced_group(machine.namespace, name)
        known = self._announced.get(key)
        if group is not None and (known is None or known.group != group):
            known = self._announced[key] = self._drawing(key, group)
        return known  # if the set is gone, as it was

    def _announced_group(self, namespace: str, name: str) -> ScalableGroup | None:
        owners = (self._store.find(kind, namespace, name) for kind in (MACHINE_SET, MACHINE_DEPLOYMENT))
        found = (group_of_annotations(owner) for owner in owners if owner is not None)
        return next((group for group in found if group is not None), None)

    def _drawing(self, name: str, group: ScalableGroup) -> _Draws:
        return _Draws(group, lambda what: self._context.streams.stream(f"nodegroups/{name}/{what}"))
