"""Scores that kube-scheduler had in earlier releases, and the formulas of 1.14 that K8sSim runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.scheduling.config import InterPodAffinityArgs
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.plugin import Plugin
from wavetank.scheduling.plugins.retired.equalpriority import EqualPriority
from wavetank.scheduling.plugins.retired.nodelabel import NodeLabel
from wavetank.scheduling.plugins.retired.nodepreferavoidpods import NodePreferAvoidPods
from wavetank.scheduling.plugins.retired.noderesourcelimits import NodeResourceLimits
from wavetank.scheduling.plugins.retired.requested import (
    BalancedResourceAllocation,
    LeastRequestedPriority,
    MostRequestedPriority,
    NodeResourcesLeastAllocated,
    NodeResourcesMostAllocated,
)
from wavetank.scheduling.plugins.retired.selectorspread import SelectorSpread
from wavetank.scheduling.plugins.retired.unreduced import (
    ImageLocalityPriority,
    InterPodAffinityPriority,
    NodeAffinityPriority,
    NodeLabelPriority,
    NodePreferAvoidPodsPriority,
    TaintTolerationPriority,
)

# By the names that releases gave them; those of 1.14 end in Priority. A configuration can name those of its release.
RETIRED: Mapping[str, Callable[[Any, Listers], Plugin]] = {
    "EqualPriority": lambda args, listers: EqualPriority(),
    "NodeResourceLimits": lambda args, listers: NodeResourceLimits(),
    "NodePreferAvoidPods": lambda args, listers: NodePreferAvoidPods(),
    "NodeResourcesLeastAllocated": lambda args, listers: NodeResourcesLeastAllocated(),
    "NodeResourcesMostAllocated": lambda args, listers: NodeResourcesMostAllocated(),
    "SelectorSpread": lambda args, listers: SelectorSpread(listers),
    "NodeLabel": lambda args, listers: NodeLabel(args),
    "LeastRequestedPriority": lambda args, listers: LeastRequestedPriority(),
    "MostRequestedPriority": lambda args, listers: MostRequestedPriority(),
    "BalancedResourceAllocation": lambda args, listers: BalancedResourceAllocation(),
    "TaintTolerationPriority": lambda args, listers: TaintTolerationPriority(),
    "NodeAffinityPriority": lambda args, listers: NodeAffinityPriority(),
    "ImageLocalityPriority": lambda args, listers: ImageLocalityPriority(),
    "NodeLabelPriority": lambda args, listers: NodeLabelPriority(args),
    "NodePreferAvoidPodsPriority": lambda args, listers: NodePreferAvoidPodsPriority(),
    "InterPodAffinityPriority": lambda args, listers: InterPodAffinityPriority(
        InterPodAffinityArgs(hard_pod_affinity_weight=0), listers
    ),
}
