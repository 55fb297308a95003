from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import FilterPlugin, Reason


class NodeName(FilterPlugin):
    """Keeps a pod that names its node to that node; it reads the pod, since the name is not part of its spec."""

    name = "NodeName"
    OTHER_NAME = Reason("node(s) didn't match the requested node name", resolvable=False)

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects every node but the named one."""
        if not cycle.pod.node_name:
            return np.zeros(len(nodes), np.int64)
        codes: IntArray = (nodes != cycle.table.slots.get(cycle.pod.node_name, -1)).astype(np.int64)
        return codes

    def passes_now(self, cycle: Cycle) -> bool:
        """Passes pods that name no node."""
        return not cycle.pod.node_name

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the one reason there is."""
        return (self.OTHER_NAME,)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """A new node may be the one."""
        return {ClusterEvent.NODE_ADD: always}
