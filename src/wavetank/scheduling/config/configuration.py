"""Reads a KubeSchedulerConfiguration as the real kube-scheduler does before it starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from wavetank.cluster.fields.selectors import read_field, read_mapping, read_text
from wavetank.cluster.releases import NEWEST, Version
from wavetank.errors import InputError
from wavetank.scheduling.config.args import NodeResourcesFitArgs
from wavetank.scheduling.config.extenders import ignored_resources, read_extenders
from wavetank.scheduling.config.gates import NO_GATES, FeatureGates
from wavetank.scheduling.config.intree import check_version
from wavetank.scheduling.config.model import Configuration, Profile
from wavetank.scheduling.config.profiles import read_profiles
from wavetank.scheduling.config.readargs import API_VERSION
from wavetank.scheduling.config.reading import INT64_MAX, integer, read_bool, read_object

_KIND = "KubeSchedulerConfiguration"
_FIELDS = (
    "apiVersion",
    "kind",
    "parallelism",
    "percentageOfNodesToScore",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
    "profiles",
    "extenders",
)
_WITHOUT_EFFECT: Mapping[str, Callable[[object], object]] = {
    "clientConnection": read_mapping,
    "leaderElection": read_mapping,
    "healthzBindAddress": read_text,
    "metricsBindAddress": read_text,
    "enableProfiling": read_bool,
    "enableContentionProfiling": read_bool,
    "delayCacheUntilActive": read_bool,
}


def parse_configuration(
    document: Mapping[str, Any], version: Version = NEWEST, gates: FeatureGates = NO_GATES
) -> Configuration:
    """Reads a KubeSchedulerConfiguration (v1) with the defaults of that Kubernetes release.

    Raises InputError, with the path inside the document, where the real kube-scheduler would not start.
    `gates` are feature gates that are on besides the default ones: in the real one they come from a flag.
    Fields that do not concern a simulation are accepted but not looked into.
    """
    check_version(version)
    fields = read_object(document, (*_FIELDS, *_WITHOUT_EFFECT))
    _check_type(fields)
    for name, read in _WITHOUT_EFFECT.items():
        read_field(fields, name, read)
    initial = read_field(fields, "podInitialBackoffSeconds", integer(1, 1, INT64_MAX))
    extenders = read_field(fields, "extenders", read_extenders)
    profiles = read_field(fields, "profiles", partial(read_profiles, version=version, gates=gates))
    return Configuration(
        profiles=tuple(_leave_to_extenders(profile, ignored_resources(extenders)) for profile in profiles),
        parallelism=read_field(fields, "parallelism", integer(16, 1)),
        percentage_of_nodes_to_score=read_field(fields, "percentageOfNodesToScore", integer(0, 0, 100)),
        pod_initial_backoff_s=initial,
        pod_max_backoff_s=read_field(fields, "podMaxBackoffSeconds", integer(10, initial, INT64_MAX)),
        extenders=extenders,
        feature_gates=gates,
    )


def default_configuration(version: Version = NEWEST) -> Configuration:
    """Returns what kube-scheduler of that release runs with when it is given no configuration."""
    return parse_configuration({"apiVersion": API_VERSION, "kind": _KIND}, version)


def _check_type(fields: Mapping[str, object]) -> None:
    for name, expected in (("apiVersion", API_VERSION), ("kind", _KIND)):
        if (given := read_field(fields, name, read_text)) != expected:
            raise InputError(f"{given!r} is not supported, expected {expected}", path=name)


def _leave_to_extenders(profile: Profile, resources: tuple[str, ...]) -> Profile:
    """Lets NodeResourcesFit ignore the resources that extenders manage alone, instead of its own list, as upstream."""
    if not resources:
        return profile
    fit = profile.args.get("NodeResourcesFit")
    if not isinstance(fit, NodeResourcesFitArgs):
        message = f"profile {profile.scheduler_name} has no NodeResourcesFit that could ignore {resources[0]}"
        raise InputError(message, path="extenders")
    args = {**profile.args, "NodeResourcesFit": replace(fit, ignored_resources=resources)}
    return replace(profile, args=args)
