"""The pools of devices that can be used on a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from wavetank.cluster.objects.dra import Device, DeviceId, ResourceSlice
from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.devices import Devices


class Pool:
    """The slices of one pool, all of its newest generation on the node.

    While a driver publishes a pool it is incomplete; one that lists two devices of one name is invalid.
    """

    def __init__(self, driver: str, name: str) -> None:
        self.driver = driver
        self.name = name
        self.slices: list[ResourceSlice] = []
        self.is_incomplete = False

    @property
    def devices(self) -> Sequence[Device]:
        """Returns the devices in the order of the slices."""
        return list(chain.from_iterable(item.devices for item in self.slices))

    @property
    def is_invalid(self) -> bool:
        """Returns whether two devices have one name."""
        names = [device.id.device for device in self.devices]
        return len(set(names)) < len(names)

    def add(self, found: ResourceSlice) -> None:
        """Adds a slice; an older generation is dropped."""
        generation = self.slices[0].generation if self.slices else found.generation
        if found.generation > generation:
            self.slices.clear()
        if found.generation >= generation:
            self.slices.append(found)


def pools_on(node: Node, devices: Devices) -> list[Pool]:
    """Returns the pools that have devices on a node, but for those that are out of date there."""
    pools: dict[tuple[str, str], Pool] = {}
    for found in devices.slices_on(node):
        pools.setdefault((found.driver, found.pool), Pool(found.driver, found.pool)).add(found)
    return [pool for pool in pools.values() if _is_current(pool, devices)]


def _is_current(pool: Pool, devices: Devices) -> bool:
    """Returns whether a pool has no newer generation elsewhere, and notes whether all its slices are there."""
    first = pool.slices[0]
    if len(pool.slices) == first.slices:
        return True
    generations = [item.generation for item in devices.slices_of(pool.driver, pool.name)]
    pool.is_incomplete = generations.count(first.generation) != first.slices
    return max(generations) <= first.generation


def node_selector(node: Node, devices: Devices, chosen: Sequence[DeviceId]) -> Mapping[str, Any] | None:
    """Returns where all the chosen devices can be used, in the form of the API; None if that is everywhere."""
    terms: dict[str, list[Any]] = {}
    for item in devices.slices_on(node):
        if not any(device.id in chosen for device in item.devices):
            continue
        if item.node_name:
            field = {"key": "metadata.name", "operator": "In", "values": [item.node_name]}
            return {"nodeSelectorTerms": [{"matchFields": [field]}]}
        _merge(terms, (item.manifest.get("spec") or {}).get("nodeSelector") or {})
    return {"nodeSelectorTerms": [terms]} if terms else None


def _merge(terms: dict[str, list[Any]], selector: Mapping[str, Any]) -> None:
    for term in selector.get("nodeSelectorTerms") or ():
        for kind, requirements in term.items():
            mine = terms.setdefault(kind, [])
            mine.extend(item for item in requirements if item not in mine)
