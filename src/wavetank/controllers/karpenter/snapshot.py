"""What provisioning asks of a scheduler: a copy of the cluster, with its filters on many nodes at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot

# Filters that depend on the pods of other nodes, the last two of kube-scheduler's order: a node that only they refuse
# has passed all others.
TOPOLOGY_FILTERS = frozenset({"PodTopologySpread", "InterPodAffinity"})


class ProvisioningSnapshot(ClusterSnapshot, Protocol):
    """A cluster snapshot for nodes that are not chosen yet."""

    def set_node(self, node: Node) -> None:
        """Replaces a node by one of the same name; the pods on it stay."""

    def refusals(self, pod: Pod, names: Sequence[str]) -> list[str]:
        """Returns for each node the filter that refuses the pod, or an empty string."""
