"""The provisioner's copy of the cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.simulation.scaling.clustersnapshot import SchedulerSnapshot


class SchedulerProvisioningSnapshot(SchedulerSnapshot):
    """Implements the provisioner's snapshot on the scheduling framework, with the filters of the default profile."""

    def set_node(self, node: Node) -> None:
        """Replaces a node by one of the same name; the pods on it stay."""
        old = self.node(node.name)
        assert old is not None
        self._set_node(node)
        self._undo.append(lambda: self._set_node(old))

    def refusals(self, pod: Pod, names: Sequence[str]) -> list[str]:
        """Returns for each node the filter that refuses the pod, or an empty string."""
        if not names:
            return []
        cycle = Cycle(self._framework, self._table, pod)
        outcome = Outcome()
        self._table.begin_cycle()
        allowed, narrowing = cycle.pre_filter(outcome)
        if outcome.pre_filter is not None:
            return [min(outcome.rejectors)] * len(names)
        cycle.filter(outcome, np.array([self._table.slots[name] for name in names], np.int64))
        plugins = ["", *(plugin.name for plugin in self._framework.rejecting_filters)]
        found = [plugins[index] for index in outcome.refused_by.tolist()]
        if allowed is None:
            return found
        narrower = ", ".join(sorted(narrowing))
        return [each if name in allowed else narrower for name, each in zip(names, found, strict=True)]
