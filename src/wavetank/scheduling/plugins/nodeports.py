from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.framework.nodes.ports import ports_clash
from wavetank.scheduling.framework.plugin import (
    PROCEED,
    SKIP,
    FastPathPlugin,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    Reason,
)


class NodePorts(FastPathPlugin, PreFilterPlugin, FilterPlugin):
    """Keeps a pod off nodes where one of its host ports is in use."""

    name = "NodePorts"
    TAKEN = Reason("node(s) didn't have free ports for the requested pod ports", resolvable=True)

    def skips_family(self, spec: PodSpec) -> bool:
        """Skips pods without host ports."""
        return not spec.ports

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Has nothing to do for a pod without host ports."""
        return PROCEED if cycle.pod.spec.ports else SKIP

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Rejects nodes with a conflict."""
        return np.isin(nodes, list(cycle.table.ports.conflicts(cycle.pod.spec.ports))).astype(np.int64)

    def exclude(self, cycle: Cycle, excluded: BoolArray) -> None:
        """Excludes the same nodes."""
        for slot in cycle.table.ports.conflicts(cycle.pod.spec.ports):
            if slot < len(excluded):  # others have no node
                excluded[slot] = True

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Returns the one reason there is."""
        return (self.TAKEN,)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """The end of a pod that held a port in question, or a new node."""
        return {ClusterEvent.ASSIGNED_POD_DELETE: _held_a_wanted_port, ClusterEvent.NODE_ADD: always}


def _held_a_wanted_port(waiting: Pod, old: Pod, new: None) -> bool:
    return ports_clash(waiting.spec.ports, old.spec.ports)
