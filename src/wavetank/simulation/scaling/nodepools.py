"""Node pools of a run: instances that start after a drawn time, and the provisioner that asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.evictions import Evictions
from wavetank.controllers.karpenter.definitions import definitions
from wavetank.controllers.karpenter.karpenter import Karpenter
from wavetank.controllers.karpenter.nodepools import NodePool
from wavetank.controllers.karpenter.settings import Interruption, Launch, Settings
from wavetank.kernel.distributions import INSTANT, Distribution, drawing
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.scaling.nodegroups import not_defined
from wavetank.simulation.scaling.provisioningsnapshot import SchedulerProvisioningSnapshot
from wavetank.simulation.scaling.scalablegroup import Spot

_EVERY_PRIORITY = -(2**31)


@dataclass(frozen=True)
class SimulatedPool:
    """A pool and how its instances behave.

    `boot` is the time from a NodeClaim to its registered node, `startup` that until its startup taints are removed,
    `halt` that from the end of the drain until the node is gone; `failing` is the share of instances that never start.
    `spot` is how spot instances are interrupted.
    """

    pool: NodePool
    boot: Distribution = INSTANT
    startup: Distribution = INSTANT
    halt: Distribution = INSTANT
    failing: float = 0.0
    spot: Spot | None = None


@dataclass(frozen=True)
class Provisioning:
    """The pools of a run and the settings of their provisioner."""

    pools: tuple[SimulatedPool, ...]
    settings: Settings


class DrawnInstances:
    """Draws for each instance when it becomes a node, if ever."""

    def __init__(self, context: ActorContext, pools: Sequence[SimulatedPool]) -> None:
        def stream(name: str, what: str) -> Random:
            return context.streams.stream(f"nodepools/{name}/{what}")

        self._pools = {each.pool.name: each for each in pools}
        self._fails = {name: stream(name, "failures") for name in self._pools}
        self._boot = {name: drawing(each.boot, stream(name, "boot")) for name, each in self._pools.items()}
        self._startup = {name: drawing(each.startup, stream(name, "startup")) for name, each in self._pools.items()}
        self._lifetimes = {
            name: drawing(each.spot.lifetime, stream(name, "interruptions"))
            for name, each in self._pools.items()
            if each.spot is not None
        }
        self._halt = {name: drawing(each.halt, stream(name, "halt")) for name, each in self._pools.items()}

    def launch(self, pool: NodePool) -> Launch | None:
        """Returns when an instance becomes a node."""
        launch = Launch(self._boot[pool.name](), self._startup[pool.name]())
        return None if self._fails[pool.name].random() < self._pools[pool.name].failing else launch

    def halt(self, pool: NodePool) -> Nanoseconds:
        """Returns how long the termination of an instance takes."""
        return self._halt[pool.name]()

    def interruption(self, pool: NodePool) -> Interruption | None:
        """Returns when a spot instance is taken back."""
        spot = self._pools[pool.name].spot
        return None if spot is None else Interruption(self._lifetimes[pool.name](), spot.notice)


def start_provisioning(
    context: ActorContext, controllers: ControllerContext, provisioning: Provisioning, evictions: Evictions
) -> Karpenter:
    """Creates the NodePools and starts their provisioner."""
    pools = [each.pool for each in provisioning.pools]
    for definition in not_defined(context.store, definitions()):
        context.store.create(parse_resource(definition, context.store.specs))
    for pool in pools:
        context.store.create(parse_resource(pool.manifest(), context.store.specs, namespaced=False))
    streams = context.streams
    return Karpenter(
        controllers,
        pools,
        provisioning.settings,
        SchedulerProvisioningSnapshot(context, _EVERY_PRIORITY, streams.stream("nodepools/snapshot")),
        DrawnInstances(context, provisioning.pools),
        evictions,
    )
