"""A scheduler's configuration as the running framework holds it: defaults filled in, MultiPoint expanded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.scheduling.config.args import PluginArgs
from wavetank.scheduling.config.gates import NO_GATES, FeatureGates


@dataclass(frozen=True, slots=True)
class EnabledPlugin:
    """A plugin that runs at an extension point; its weight is 0 where no scores are given."""

    name: str
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """What schedules the pods that name `scheduler_name`.

    `plugins` has the plugins of every extension point of the release, in the order in which they run.
    `args` has the typed arguments of every plugin that takes some and is enabled somewhere or configured.
    `percentage_of_nodes_to_score` is None where the configuration's own holds.
    """

    scheduler_name: str
    plugins: Mapping[str, tuple[EnabledPlugin, ...]]
    args: Mapping[str, PluginArgs]
    percentage_of_nodes_to_score: int | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A KubeSchedulerConfiguration that the real kube-scheduler would start with.

    Back-offs are in seconds; 0 percent of nodes to score means that the number adapts to the cluster's size.
    `extenders` are kept as given, in the order given; `feature_gates` are those switched on besides the default ones.
    """

    profiles: tuple[Profile, ...]
    parallelism: int
    percentage_of_nodes_to_score: int
    pod_initial_backoff_s: int
    pod_max_backoff_s: int
    extenders: tuple[Mapping[str, Any], ...]
    feature_gates: FeatureGates = NO_GATES
