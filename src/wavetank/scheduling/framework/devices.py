from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from wavetank.cluster.objects.dra import Allocation, DeviceClass, DeviceId, ResourceClaim, ResourceSlice
from wavetank.cluster.objects.groupkinds import DEVICE_CLASS, RESOURCE_CLAIM, RESOURCE_SLICE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource

DEVICE_TABLES = (
    RESOURCE_SLICE,
    DEVICE_CLASS,
    RESOURCE_CLAIM,
)
CLAIMS = RESOURCE_CLAIM

_ANYWHERE = ""  # the node name under which slices are kept that are not bound to one node


class Devices:
    """What a scheduler knows of devices and claims, and which allocations of its own are still on their way."""

    def __init__(self) -> None:
        self._claims: dict[tuple[str, str], ResourceClaim] = {}
        self._classes: dict[str, DeviceClass] = {}
        self._slices: defaultdict[str, dict[str, ResourceSlice]] = defaultdict(dict)
        self._pending: dict[tuple[str, str], Allocation] = {}

    # what the store says

    def set(self, resource: Resource) -> None:
        """Adds an object, or replaces it by its new version; a claim that is allocated is no longer on its way."""
        match resource:
            case ResourceSlice():
                self._slices[resource.node_name][resource.name] = resource
            case DeviceClass():
                self._classes[resource.name] = resource
            case ResourceClaim():
                self._claims[resource.key] = resource
                if resource.allocation is not None:
                    self._pending.pop(resource.key, None)

    def remove(self, resource: Resource) -> None:
        """Forgets an object."""
        match resource:
            case ResourceSlice():
                self._slices[resource.node_name].pop(resource.name, None)
            case DeviceClass():
                self._classes.pop(resource.name, None)
            case ResourceClaim():
                self._claims.pop(resource.key, None)
                self._pending.pop(resource.key, None)

    # asking

    def claim(self, namespace: str, name: str) -> ResourceClaim | None:
        """Returns a claim as the store has it."""
        return self._claims.get((namespace, name))

    def device_class(self, name: str) -> DeviceClass | None:
        """Returns a class."""
        return self._classes.get(name)

    def slices_on(self, node: Node) -> list[ResourceSlice]:
        """Returns the slices whose devices can be used on a node."""
        anywhere = (item for item in self._slices[_ANYWHERE].values() if item.is_on(node))
        own = self._slices[node.name].values() if node.name in self._slices else ()
        return [*own, *anywhere]

    def slices_of(self, driver: str, pool: str) -> Iterator[ResourceSlice]:
        """Yields the slices of a pool, wherever they are."""
        for slices in self._slices.values():
            yield from (item for item in slices.values() if (item.driver, item.pool) == (driver, pool))

    def allocated(self) -> frozenset[DeviceId]:
        """Returns the devices that are taken, or are about to be."""
        granted = (claim.allocation for claim in self._claims.values() if claim.allocation is not None)
        allocations = (*granted, *self._pending.values())
        return frozenset(device for allocation in allocations for device in allocation.held())

    def is_pending(self, claim: ResourceClaim) -> bool:
        """Returns whether devices have been chosen for a claim, which the store does not know yet."""
        return claim.key in self._pending

    # on the way to the store

    def assume(self, claim: ResourceClaim, allocation: Allocation) -> None:
        """Keeps devices for a claim until the store has it."""
        self._pending[claim.key] = allocation

    def forget(self, claim: ResourceClaim) -> None:
        """Gives up what was kept for a claim."""
        self._pending.pop(claim.key, None)
