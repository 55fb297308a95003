from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.config import (
    InterPodAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ScoringStrategy,
    VolumeBindingArgs,
)
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.plugins.imagelocality import ImageLocality
from wavetank.scheduling.plugins.interpodaffinity import InterPodAffinity
from wavetank.scheduling.plugins.nodeaffinity import NodeAffinity
from wavetank.scheduling.plugins.nodeports import NodePorts
from wavetank.scheduling.plugins.noderesources.balancedallocation import NodeResourcesBalancedAllocation
from wavetank.scheduling.plugins.noderesources.fit import NodeResourcesFit
from wavetank.scheduling.plugins.nodeunschedulable import NodeUnschedulable
from wavetank.scheduling.plugins.nodevolumelimits import NodeVolumeLimits
from wavetank.scheduling.plugins.podtopologyspread.plugin import PodTopologySpread
from wavetank.scheduling.plugins.tainttoleration import TaintToleration
from wavetank.scheduling.plugins.volumebinding.plugin import VolumeBinding
from wavetank.scheduling.plugins.volumezone import VolumeZone
from wavetank.scheduling.volcano.plugins.scorecache import ScoreCache
from wavetank.scheduling.volcano.release import V1_15, VolcanoRelease


def _fit(strategy: ScoringStrategy) -> NodeResourcesFit:
    return NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=strategy))


class KubePlugins:
    """The plugins of kube-scheduler that Volcano uses, with its arguments; kept from session to session."""

    def __init__(self, listers: Listers, release: VolcanoRelease = V1_15) -> None:
        self.release = release
        self._framework = Framework("volcano", {}, {})
        self.unschedulable = NodeUnschedulable()
        self.affinity = NodeAffinity()
        self.ports = NodePorts()
        self.taints = TaintToleration()
        self.pod_affinity = InterPodAffinity(InterPodAffinityArgs(hard_pod_affinity_weight=0), listers)
        self.spread = PodTopologySpread(PodTopologySpreadArgs(defaulting_type="System"), listers)
        self.least = _fit(ScoringStrategy("LeastAllocated", release.least))
        self.most = _fit(ScoringStrategy("MostAllocated", release.most))
        balanced = NodeResourcesBalancedAllocationArgs(release.balanced)
        self.balanced = NodeResourcesBalancedAllocation(balanced, release.libraries)
        self.images = ImageLocality()
        self.volume_limits = NodeVolumeLimits(listers.storage)
        self.volume_zones = VolumeZone(listers.storage)
        self.volumes = VolumeBinding(VolumeBindingArgs(), listers.storage)
        self.remembered = ScoreCache()

    def cycle(self, table: NodeTable, pod: Pod) -> Cycle:
        """Returns what the plugins keep of a pod between their calls."""
        return Cycle(self._framework, table, pod)
