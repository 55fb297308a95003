from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.manifests import load_documents
from wavetank.errors import InputError
from wavetank.scheduling.volcano.config.arguments import Arguments, read_arguments
from wavetank.words import did_you_mean

ACTIONS = ("enqueue", "allocate", "backfill", "preempt", "reclaim")
PLUGINS = (
    "binpack",
    "capacity",
    "conformance",
    "drf",
    "gang",
    "nodeorder",
    "overcommit",
    "predicates",
    "priority",
    "proportion",
    "sla",
)
_OTHER_ACTIONS = ("gangpreempt", "gangreclaim", "shuffle")
_OTHER_PLUGINS = (
    "cdp",
    "deviceshare",
    "extender",
    "network-topology-aware",
    "nodegroup",
    "numaaware",
    "pdb",
    "rescheduling",
    "resource-strategy-fit",
    "resourcequota",
    "task-topology",
    "tdm",
    "usage",
)

# What a plugin takes part in, as a configuration switches it off; all is on unless it says otherwise.
JOB_ORDER, JOB_READY, JOB_PIPELINED = "enableJobOrder", "enableJobReady", "enableJobPipelined"
JOB_ENQUEUED, JOB_STARVING, TASK_ORDER = "enableJobEnqueued", "enableJobStarving", "enableTaskOrder"
QUEUE_ORDER, PREEMPTABLE, RECLAIMABLE = "enableQueueOrder", "enablePreemptable", "enableReclaimable"
PREEMPTIVE, PREDICATE, NODE_ORDER = "enablePreemptive", "enablePredicate", "enableNodeOrder"
OVERUSED, ALLOCATABLE = "enabledOverused", "enabledAllocatable"
_HIERARCHY = "enableHierarchy"
_TOPOLOGY_AWARE = "enableTopologyAwarePreemption"

# The configuration that is compiled into Volcano's scheduler.
DEFAULT_CONF = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
"""


@dataclass(frozen=True)
class PluginOption:
    """One plugin of a tier: what it is kept from, whether queues are a hierarchy to it, and its arguments."""

    name: str
    off: frozenset[str]
    hierarchy: bool
    arguments: Arguments

    def takes_part(self, switch: str) -> bool:
        """Returns whether the plugin is asked at all."""
        return switch not in self.off


@dataclass(frozen=True)
class VolcanoConf:
    """A volcano-scheduler.conf: the actions in order, the plugins by tier, and the arguments of actions."""

    actions: tuple[str, ...]
    tiers: tuple[tuple[PluginOption, ...], ...]
    arguments: Mapping[str, Arguments]

    def arguments_of(self, action: str) -> Arguments:
        """Returns the arguments of an action."""
        return self.arguments.get(action, Arguments())


def parse_conf(text: str, source: str = "") -> VolcanoConf:
    """Reads a configuration; an action or a plugin that is unknown or not simulated is an InputError that names it.

    As in Volcano, unknown fields are ignored.
    """
    documents = load_documents(text, source)
    document = documents[0] if documents else {}
    if len(documents) > 1 or not isinstance(document, Mapping):
        raise InputError("expected actions and tiers", source=source)
    try:
        return _conf(document)
    except InputError as error:
        raise error.inside(source=source) from None


def _conf(document: Mapping[str, Any]) -> VolcanoConf:
    tiers = tuple(
        tuple(_option(plugin, f"tiers[{i}].plugins[{j}]") for j, plugin in enumerate(_list(tier, f"tiers[{i}]")))
        for i, tier in enumerate(document.get("tiers") or ())
    )
    arguments = {
        str(each.get("name")): read_arguments(each.get("arguments")) for each in document.get("configurations") or ()
    }
    if arguments.get("preempt", Arguments()).flag(_TOPOLOGY_AWARE, False):
        raise InputError(f"{_TOPOLOGY_AWARE} is not simulated", path="configurations")
    return VolcanoConf(_actions(document.get("actions")), tiers, arguments)


def _actions(given: object) -> tuple[str, ...]:
    names = [name.strip() for name in str(given or "").split(",")]
    for name in names:
        if name in _OTHER_ACTIONS:
            raise InputError(f"the action {name} is not simulated", path="actions")
        if name not in ACTIONS:
            raise InputError(f"failed to find Action {name!r}{did_you_mean(name, ACTIONS)}", path="actions")
    return tuple(names)


def _list(tier: object, path: str) -> Sequence[Any]:
    plugins = tier.get("plugins") if isinstance(tier, Mapping) else None
    if not isinstance(plugins, list):
        raise InputError("expected a list of plugins", path=path)
    return plugins


def _option(given: object, path: str) -> PluginOption:
    name = str(given.get("name")) if isinstance(given, Mapping) else ""
    if not isinstance(given, Mapping) or not name:
        raise InputError("expected a plugin with its name", path=path)
    if name in _OTHER_PLUGINS:
        raise InputError(f"the plugin {name} is not simulated", path=path)
    if name not in PLUGINS:
        raise InputError(f"failed to get plugin {name!r}{did_you_mean(name, PLUGINS)}", path=path)
    hierarchy = given.get(_HIERARCHY) is True
    if hierarchy and name == "drf":
        raise InputError("enableHierarchy of drf is not simulated", path=path)
    off = frozenset(str(key) for key, value in given.items() if value is False)
    return PluginOption(name, off, hierarchy, read_arguments(given.get("arguments")))
