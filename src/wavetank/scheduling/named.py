"""The schedulers that users pick by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from wavetank.errors import InputError
from wavetank.scheduling.config import Version, parse_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.policies.anynode import AnyNode
from wavetank.scheduling.policies.fit import BestFit, FirstFit, WorstFit

_HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def _scoring(strategy: Mapping[str, Any]) -> Mapping[str, Any]:
    args = {"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}
    return {**_HEAD, "profiles": [{"pluginConfig": [args]}]}


# Configurations of kube-scheduler: what they do, and how they differ from its default.
_CONFIGURATIONS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "default": ("kube-scheduler's default profile: spreads pods by NodeResourcesFit LeastAllocated", _HEAD),
    "most-allocated": (
        "the default profile with NodeResourcesFit MostAllocated: packs pods on few nodes",
        _scoring({"type": "MostAllocated"}),
    ),
    "requested-to-capacity-ratio": (
        "the default profile with NodeResourcesFit RequestedToCapacityRatio, rising from 0 at 0 % to 10 at 100 %",
        _scoring(
            {
                "type": "RequestedToCapacityRatio",
                "requestedToCapacityRatio": {
                    "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
                },
            }
        ),
    ),
}

_POLICIES: dict[str, type] = {
    "random": AnyNode,
    "first-fit": FirstFit,
    "best-fit": BestFit,
    "worst-fit": WorstFit,
}


def named_schedulers() -> dict[str, str]:
    """Returns every name with a line on what it does."""
    described = {name: description for name, (description, _) in _CONFIGURATIONS.items()}
    return described | {name: _first_line(policy) for name, policy in _POLICIES.items()}


def find_scheduler(
    wanted: str, version: Version, *, name: str = "", args: Mapping[str, Any] | None = None
) -> SchedulerDefinition:
    """Returns the scheduler of that name, called `name` in results; InputError if there is none."""
    if wanted in _CONFIGURATIONS:
        if args:
            raise InputError(f"{wanted} takes no arguments", path="args")
        description, document = _CONFIGURATIONS[wanted]
        return SchedulerDefinition(name or wanted, description, parse_configuration(document, version))
    if wanted in _POLICIES:
        policy = _POLICIES[wanted]
        base = parse_configuration(_HEAD, version)
        return SchedulerDefinition(name or wanted, _first_line(policy), base, policy, args or {})
    close = difflib.get_close_matches(wanted, named_schedulers(), 1)
    hint = f" (did you mean {close[0]}?)" if close else f": known are {', '.join(named_schedulers())}"
    raise InputError(f"there is no scheduler called {wanted!r}{hint}")


def _first_line(policy: type) -> str:
    return (policy.__doc__ or "").partition("\n")[0].rstrip(".")
