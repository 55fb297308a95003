"""Configurations of kube-scheduler: how they differ from its default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.config import parse_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.named.scheduler import NamedScheduler

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def _scoring(strategy: Mapping[str, Any]) -> Mapping[str, Any]:
    args = {"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}
    return {**HEAD, "profiles": [{"pluginConfig": [args]}]}


_CONFIGURATIONS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "default": ("kube-scheduler's default profile: spreads pods by NodeResourcesFit LeastAllocated", HEAD),
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


def configurations() -> Iterator[NamedScheduler]:
    """Yields the configurations of kube-scheduler."""
    for name, (description, document) in _CONFIGURATIONS.items():
        make = partial(_make, name, description, document)
        yield NamedScheduler(name, "kube-scheduler", description, "Kubernetes of the run", make)


def _make(
    wanted: str, description: str, document: Mapping[str, Any], name: str, version: Version, args: Mapping[str, Any]
) -> SchedulerDefinition:
    if args:
        raise InputError(f"{wanted} takes no arguments", path="args")
    return SchedulerDefinition(name, description, parse_configuration(document, version))
