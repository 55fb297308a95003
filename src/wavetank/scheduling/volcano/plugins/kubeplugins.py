from __future__ import annotations

from wavetank.cluster.pod import Pod
from wavetank.scheduling.config import (
    InterPodAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
)
from wavetank.scheduling.framework.cycle import Cycle
from wavetank.scheduling.framework.framework import Framework
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodetable import NodeTable
from wavetank.scheduling.plugins.imagelocality import ImageLocality
from wavetank.scheduling.plugins.interpodaffinity import InterPodAffinity
from wavetank.scheduling.plugins.nodeaffinity import NodeAffinity
from wavetank.scheduling.plugins.nodeports import NodePorts
from wavetank.scheduling.plugins.noderesourcesbalancedallocation import NodeResourcesBalancedAllocation
from wavetank.scheduling.plugins.noderesourcesfit import NodeResourcesFit
from wavetank.scheduling.plugins.nodeunschedulable import NodeUnschedulable
from wavetank.scheduling.plugins.podtopologyspread import PodTopologySpread
from wavetank.scheduling.plugins.tainttoleration import TaintToleration

_VERSION = (1, 35)  # of the kube-scheduler libraries in Volcano 1.15


def _fit(kind: str, weight: int) -> NodeResourcesFit:
    resources = (ResourceSpec("cpu", weight), ResourceSpec("memory", weight))
    strategy = ScoringStrategy(kind, resources)  # type: ignore[arg-type]
    return NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=strategy))


class KubePlugins:
    """The plugins of kube-scheduler that Volcano uses, with its arguments; kept from session to session."""

    def __init__(self, listers: Listers) -> None:
        self._framework = Framework("volcano", {}, {})
        self.unschedulable = NodeUnschedulable()
        self.affinity = NodeAffinity()
        self.ports = NodePorts()
        self.taints = TaintToleration()
        self.pod_affinity = InterPodAffinity(InterPodAffinityArgs(hard_pod_affinity_weight=0), listers)
        self.spread = PodTopologySpread(PodTopologySpreadArgs(defaulting_type="System"), listers)
        self.least = _fit("LeastAllocated", 50)
        self.most = _fit("MostAllocated", 1)
        balanced = tuple(ResourceSpec(name, 1) for name in ("cpu", "memory", "nvidia.com/gpu"))
        self.balanced = NodeResourcesBalancedAllocation(NodeResourcesBalancedAllocationArgs(balanced), _VERSION)
        self.images = ImageLocality()

    def cycle(self, table: NodeTable, pod: Pod) -> Cycle:
        """Returns what the plugins keep of a pod between their calls."""
        return Cycle(self._framework, table, pod)
