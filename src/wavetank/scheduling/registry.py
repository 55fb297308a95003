"""The plugins that wavetank simulates, by the names that a configuration uses."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.attachable import NodePower
from wavetank.scheduling.config import Configuration, PluginArgs, Profile
from wavetank.scheduling.config.gates import NO_GATES, VOLUME_LIMIT_SCALING, FeatureGates
from wavetank.scheduling.framework.cycle.batching import Batch
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.cycle.signature import signer
from wavetank.scheduling.framework.extenders.extenders import Extenders
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.plugin import Plugin
from wavetank.scheduling.framework.queue.hints import hints_of_release
from wavetank.scheduling.plugins.defaultpreemption.plugin import DefaultPreemption
from wavetank.scheduling.plugins.dynamicresources.plugin import DynamicResources
from wavetank.scheduling.plugins.imagelocality import ImageLocality
from wavetank.scheduling.plugins.interpodaffinity import InterPodAffinity
from wavetank.scheduling.plugins.nodeaffinity import NodeAffinity
from wavetank.scheduling.plugins.nodename import NodeName
from wavetank.scheduling.plugins.nodeports import NodePorts
from wavetank.scheduling.plugins.noderesources.balancedallocation import NodeResourcesBalancedAllocation
from wavetank.scheduling.plugins.noderesources.fit import NodeResourcesFit
from wavetank.scheduling.plugins.nodeunschedulable import NodeUnschedulable
from wavetank.scheduling.plugins.nodevolumelimits import NodeVolumeLimits
from wavetank.scheduling.plugins.podtopologyspread.plugin import PodTopologySpread
from wavetank.scheduling.plugins.retired import RETIRED
from wavetank.scheduling.plugins.retired.requested import EvenlyRequested
from wavetank.scheduling.plugins.schedulinggates import SchedulingGates
from wavetank.scheduling.plugins.tainttoleration import TaintToleration
from wavetank.scheduling.plugins.volumebinding.plugin import VolumeBinding
from wavetank.scheduling.plugins.volumerestrictions import VolumeRestrictions
from wavetank.scheduling.plugins.volumezone import VolumeZone


@dataclass(frozen=True, slots=True)
class Handle:
    """What plugins may need besides their arguments."""

    version: Version
    listers: Listers
    random: random.Random
    extenders: Extenders = field(default_factory=Extenders)
    gates: FeatureGates = NO_GATES
    now: Callable[[], Nanoseconds] = lambda: 0
    power: NodePower | None = None


_Factory = Callable[[Any, Handle], Plugin]

_PLUGINS: dict[str, _Factory] = {
    "SchedulingGates": lambda args, handle: SchedulingGates(),
    "NodeUnschedulable": lambda args, handle: NodeUnschedulable(),
    "NodeName": lambda args, handle: NodeName(),
    "TaintToleration": lambda args, handle: TaintToleration(),
    "NodeAffinity": lambda args, handle: NodeAffinity(args.added_affinity),
    "NodePorts": lambda args, handle: NodePorts(),
    "NodeResourcesFit": lambda args, handle: NodeResourcesFit(args),
    "NodeResourcesBalancedAllocation": lambda args, handle: (
        NodeResourcesBalancedAllocation(args, handle.version) if handle.version >= (1, 22) else EvenlyRequested()
    ),
    "VolumeRestrictions": lambda args, handle: VolumeRestrictions(handle.listers.storage),
    "NodeVolumeLimits": lambda args, handle: NodeVolumeLimits(
        handle.listers.storage, VOLUME_LIMIT_SCALING in handle.gates
    ),
    "VolumeBinding": lambda args, handle: VolumeBinding(args, handle.listers.storage),
    "VolumeZone": lambda args, handle: VolumeZone(handle.listers.storage),
    "PodTopologySpread": lambda args, handle: PodTopologySpread(args, handle.listers, handle.version),
    "InterPodAffinity": lambda args, handle: InterPodAffinity(args, handle.listers),
    "DynamicResources": lambda args, handle: DynamicResources(handle.listers.devices),
    "DefaultPreemption": lambda args, handle: DefaultPreemption(args, handle.version, handle.listers, handle.random),
    "ImageLocality": lambda args, handle: ImageLocality(),
}

# What these do is part of the scheduler itself: the queue's order, and the binding.
_BUILT_IN = frozenset({"PrioritySort", "DefaultBinder"})

# Enabled by default in 1.36 (features that nodes declare) and up to 1.30 (limits of in-tree volumes).
_DEFAULTS_WITHOUT_A_MODEL = frozenset({"NodeDeclaredFeatures", "AzureDiskLimits", "EBSLimits", "GCEPDLimits"})


def build_frameworks(configuration: Configuration, handle: Handle) -> list[Framework]:
    """Makes the plugins of every profile; those that are not simulated are left out."""
    handle = replace(handle, gates=configuration.feature_gates)
    return [_framework(profile, configuration, handle) for profile in configuration.profiles]


def not_simulated(configuration: Configuration) -> list[str]:
    """Returns the enabled plugins that wavetank does not simulate, sorted by name.

    Those of a release's own defaults are left out: what they do is said once, in docs/fidelity.md.
    """
    names = {
        plugin.name for profile in configuration.profiles for point in profile.plugins.values() for plugin in point
    }
    return sorted(names - _PLUGINS.keys() - RETIRED.keys() - _BUILT_IN - _DEFAULTS_WITHOUT_A_MODEL)


def _framework(profile: Profile, configuration: Configuration, handle: Handle) -> Framework:
    made: dict[str, Plugin] = {}
    for point in profile.plugins.values():
        for enabled in point:
            if enabled.name not in made:
                args: PluginArgs | None = profile.args.get(enabled.name)
                if enabled.name in _PLUGINS:
                    made[enabled.name] = _PLUGINS[enabled.name](args, handle)
                elif enabled.name in RETIRED:
                    made[enabled.name] = RETIRED[enabled.name](args, handle.listers)
    points = {
        point: [made[plugin.name] for plugin in plugins if plugin.name in made]
        for point, plugins in profile.plugins.items()
    }
    percentage = profile.percentage_of_nodes_to_score
    framework = Framework(
        profile.scheduler_name,
        points,
        weights={plugin.name: plugin.weight for plugin in profile.plugins["score"]},
        percentage_of_nodes_to_score=configuration.percentage_of_nodes_to_score if percentage is None else percentage,
        extenders=handle.extenders,
        batch=_batch(profile, handle),
        prefers_nominated=handle.version >= (1, 22),
    )
    framework.hints = hints_of_release(framework.hints, handle.version)
    return framework


def _batch(profile: Profile, handle: Handle) -> Batch | None:
    """Returns the batching of equal pods, if the release has it and all plugins can tell which pods are equal."""
    if handle.version < (1, 35) or handle.extenders:
        return None
    points = (profile.plugins[point] for point in ("preFilter", "filter", "preScore", "score"))
    sign = signer({plugin.name for point in points for plugin in point}, profile.args)
    return None if sign is None else Batch(sign)
