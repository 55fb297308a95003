"""Scores by the requested share of a node's resources, for NodeResourcesFit and NodeResourcesBalancedAllocation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.config import ResourceSpec
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray, quadruples
from wavetank.scheduling.framework.nodes.nodearrays import ALLOCATABLE, NONZERO, PER_RESOURCE, REQUESTED
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import CompiledScore
from wavetank.scheduling.plugins.noderesources.kernels import rate_nodes

_ALWAYS_COUNTED = (CPU, MEMORY, EPHEMERAL_STORAGE)
_NO_SHAPE: IntArray = np.zeros((0, 2), np.int64)


class ResourceScorer:
    """Scores nodes by one strategy for some resources.

    `nonzero` counts 100m and 200Mi for containers that leave CPU or memory open.
    """

    def __init__(
        self, kind: int, resources: Sequence[ResourceSpec], nonzero: bool, shape: IntArray = _NO_SHAPE
    ) -> None:
        self._kind = kind
        self._resources = [(resource.name, resource.weight) for resource in resources]
        self._nonzero = nonzero
        self._shape = shape

    def compiled_score(self, spec: PodSpec, table: NodeTable) -> CompiledScore:
        """Returns what is scored for pods of a spec."""
        rows = []
        for name, weight in self._resources:
            asked = self.asked(spec, name)
            # an extended resource that the pod does not request does not count in its score
            if name in table.rows and (name in _ALWAYS_COUNTED or asked):
                row = table.rows[name]
                used = NONZERO + row if self._nonzero and row < 2 else REQUESTED + PER_RESOURCE * row
                rows.append((ALLOCATABLE + PER_RESOURCE * row, used, asked, weight))
        return CompiledScore(self._kind, rows, self._shape)

    def score(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Returns the score of each node."""
        table = cycle.table
        kind, resources, shape = self.compiled_score(cycle.pod.spec, table)
        scores: IntArray = rate_nodes(kind, quadruples(resources), shape, table.cells, nodes)
        return scores

    def asks_for_nothing(self, spec: PodSpec) -> bool:
        """Returns whether pods of a spec request none of the resources."""
        return not any(self.asked(spec, name) for name, _ in self._resources)

    def asked(self, spec: PodSpec, name: str) -> int:
        """Returns the requests of a pod of this spec, as scheduling counts them."""
        if self._nonzero and name == CPU:
            return spec.scored_cpu
        if self._nonzero and name == MEMORY:
            return spec.scored_memory
        return spec.requests.get(name, 0)


def is_extended(name: str) -> bool:
    """Returns whether a resource is an extended one, such as nvidia.com/gpu."""
    domain = name.partition("/")[0]
    return "/" in name and not domain.endswith("kubernetes.io") and not name.startswith("requests.")
