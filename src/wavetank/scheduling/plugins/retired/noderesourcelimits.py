from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.resources import CPU, MEMORY, parse_amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.static import StaticScore

Limits = tuple[int, int]  # milli-CPU and bytes


class NodeResourceLimits(StaticScore):
    """Gives 1 to nodes that have what the pod may use at most, of CPU or of memory, else 0; until 1.20.

    Limits of containers add up; an init container counts where it is larger than these. What is already used on
    the node does not matter.
    """

    name = "NodeResourceLimits"

    def score_facet(self, spec: PodSpec) -> Limits:
        """Reads the limits of CPU and memory."""
        containers = [_limits(container) for container in spec.manifest.get("containers") or ()]
        inits = [_limits(container) for container in spec.manifest.get("initContainers") or ()]
        cpu, memory = (max([sum(own[i] for own in containers), *(init[i] for init in inits)]) for i in range(2))
        return cpu, memory

    def rate(self, facet: Limits, node: Node) -> int:
        """Returns whether one of the limits can be met."""
        allocatable = (node.allocatable.get(CPU, 0), node.allocatable.get(MEMORY, 0))
        return int(any(0 < limit <= has for limit, has in zip(facet, allocatable, strict=True)))


def _limits(container: Mapping[str, Any]) -> Limits:
    amounts = parse_amounts((container.get("resources") or {}).get("limits") or {})
    return amounts.get(CPU, 0), amounts.get(MEMORY, 0)
