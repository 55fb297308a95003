"""The plugins of a session, by the names that a configuration uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.scheduling.volcano.config.conf import PluginOption
from wavetank.scheduling.volcano.plugins.binpack import Binpack
from wavetank.scheduling.volcano.plugins.capacity import Capacity
from wavetank.scheduling.volcano.plugins.conformance import Conformance
from wavetank.scheduling.volcano.plugins.drf import Drf
from wavetank.scheduling.volcano.plugins.gang import Gang
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.plugins.nodeorder import NodeOrder
from wavetank.scheduling.volcano.plugins.overcommit import Overcommit
from wavetank.scheduling.volcano.plugins.predicates import Predicates
from wavetank.scheduling.volcano.plugins.priority import Priority
from wavetank.scheduling.volcano.plugins.proportion import Proportion
from wavetank.scheduling.volcano.plugins.sla import Sla
from wavetank.scheduling.volcano.session.hooks import Plugin

PluginMakers = Mapping[str, Callable[[PluginOption], Plugin]]


def plugin_makers(kube: KubePlugins) -> PluginMakers:
    """Returns what makes the plugins of a session; those of kube-scheduler stay the same from session to session."""
    return {
        "binpack": lambda option: Binpack(option.arguments),
        "capacity": lambda option: Capacity(option.arguments, option.hierarchy),
        "conformance": lambda option: Conformance(),
        "drf": lambda option: Drf(),
        "gang": lambda option: Gang(),
        "nodeorder": lambda option: NodeOrder(option.arguments, kube),
        "overcommit": lambda option: Overcommit(option.arguments),
        "predicates": lambda option: Predicates(option.arguments, kube),
        "priority": lambda option: Priority(),
        "proportion": lambda option: Proportion(),
        "sla": lambda option: Sla(option.arguments),
    }
