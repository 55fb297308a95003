"""The typed arguments of the in-tree plugins that take some, with the defaults of kube-scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wavetank.kernel.durations import Nanoseconds

ScoringStrategyType = Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]
DefaultingType = Literal["System", "List"]


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A resource that counts in a score, and how often (1 to 100)."""

    name: str
    weight: int = 1


CPU_AND_MEMORY = (ResourceSpec("cpu"), ResourceSpec("memory"))


@dataclass(frozen=True, slots=True)
class ShapePoint:
    """A point of a scoring function: the score (0 to 10) at a utilization in percent."""

    utilization: int
    score: int


LEAST_USED = (ShapePoint(0, 10), ShapePoint(100, 0))


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """How NodeResourcesFit scores; `shape` belongs to RequestedToCapacityRatio, its utilizations increase."""

    type: ScoringStrategyType = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = CPU_AND_MEMORY
    shape: tuple[ShapePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    """Resources that the filter ignores, by name and by the part before the slash, and the scoring strategy."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy()


@dataclass(frozen=True, slots=True)
class NodeResourcesBalancedAllocationArgs:
    """The resources whose use should be balanced, all of weight 1."""

    resources: tuple[ResourceSpec, ...] = CPU_AND_MEMORY


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    """A node affinity in JSON form that every pod of the profile has besides its own."""

    added_affinity: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    """How much a required affinity of pods already there counts in the score (0 to 100)."""

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    """Constraints of pods without their own: kube-scheduler's (System), or those listed here in JSON form."""

    default_constraints: tuple[Mapping[str, Any], ...] = ()
    defaulting_type: DefaultingType = "System"


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    """How many nodes a preemption looks at: so many percent of them, but at least an absolute number."""

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    """How many seconds to wait for volumes to be bound (0 is not to wait), and how to score; no shape, no scores."""

    bind_timeout_s: int = 600
    shape: tuple[ShapePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs:
    """Limits on filtering a node and on waiting for devices; None where the release knows no such limit."""

    filter_timeout: Nanoseconds | None
    binding_timeout: Nanoseconds | None


@dataclass(frozen=True, slots=True)
class NodeLabelArgs:
    """Labels that a node should have, and labels that it should not have; of the retired plugin NodeLabel."""

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


PluginArgs = (
    NodeResourcesFitArgs
    | NodeResourcesBalancedAllocationArgs
    | NodeAffinityArgs
    | InterPodAffinityArgs
    | PodTopologySpreadArgs
    | DefaultPreemptionArgs
    | VolumeBindingArgs
    | DynamicResourcesArgs
    | NodeLabelArgs
)
