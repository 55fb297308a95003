"""Topologies as Kueue reads them."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.cluster.objects.karpenter import HOSTNAME
from wavetank.cluster.objects.resource import Resource
from wavetank.errors import InputError

_MOST_LEVELS = 16


@dataclass(frozen=True)
class TopologySpec:
    """A Topology: the node labels of its levels, from the largest domains to the smallest."""

    name: str
    levels: tuple[str, ...]

    @classmethod
    def parse(cls, resource: Resource) -> TopologySpec:
        """Reads a Topology; InputError for levels that Kueue would refuse."""
        path = "spec.levels"
        given = (resource.manifest.get("spec") or {}).get("levels")
        if not isinstance(given, list) or not 1 <= len(given) <= _MOST_LEVELS:
            raise InputError(f"expected 1 to {_MOST_LEVELS} levels", path=path)
        levels = tuple(str(each.get("nodeLabel") or "") if isinstance(each, dict) else "" for each in given)
        if not all(levels):
            raise InputError("expected a nodeLabel in each level", path=path)
        if len(set(levels)) < len(levels):
            raise InputError("must be unique", path=path)
        if HOSTNAME in levels[:-1]:
            raise InputError(f"{HOSTNAME} can only be the lowest level", path=path)
        return cls(resource.name, levels)
