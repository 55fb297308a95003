"""A KubeSchedulerConfiguration, read and completed as the real kube-scheduler does."""

from wavetank.scheduling.config.args import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeLabelArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    ShapePoint,
    VolumeBindingArgs,
)
from wavetank.scheduling.config.configuration import default_configuration, parse_configuration
from wavetank.scheduling.config.intree import EXTENSION_POINTS
from wavetank.scheduling.config.model import Configuration, EnabledPlugin, Profile

__all__ = [
    "EXTENSION_POINTS",
    "Configuration",
    "DefaultPreemptionArgs",
    "DynamicResourcesArgs",
    "EnabledPlugin",
    "InterPodAffinityArgs",
    "NodeAffinityArgs",
    "NodeLabelArgs",
    "NodeResourcesBalancedAllocationArgs",
    "NodeResourcesFitArgs",
    "PluginArgs",
    "PodTopologySpreadArgs",
    "Profile",
    "ResourceSpec",
    "ScoringStrategy",
    "ShapePoint",
    "VolumeBindingArgs",
    "default_configuration",
    "parse_configuration",
]
