"""Four nodes for tables of plugins that look at topologies: a and b in zone z1, c in z2, d in no zone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node
from wavetank.cluster.objects.pod import Pod

ZONES = {"a": "z1", "b": "z1", "c": "z2", "d": None}


def four_nodes(
    pods: Iterable[Pod] = (), changes: Mapping[str, Any] | None = None, **configuration: Any
) -> CachedCluster:
    """Returns the nodes with bound pods on them; `changes` are further fields of nodes by name."""
    nodes = [a_node(name, zone=zone, **(changes or {}).get(name, {})) for name, zone in ZONES.items()]
    return CachedCluster(*nodes, *pods, **configuration)


def only_score(plugin: str, **args: Any) -> dict[str, Any]:
    """Returns a configuration in which only one plugin scores, with weight 1."""
    score = {"disabled": [{"name": "*"}], "enabled": [{"name": plugin, "weight": 1}]}
    profile = {"schedulerName": "default-scheduler", "plugins": {"score": score}}
    return {"profiles": [{**profile, "pluginConfig": [{"name": plugin, "args": args}]}]}


def scores(cluster: CachedCluster, pod: Pod) -> dict[str, int]:
    """Returns the total of each node; all zero if no plugin scores the pod."""
    _, outcome = cluster.attempt(pod)
    return dict(zip(cluster.names(outcome.feasible), map(int, outcome.totals), strict=True))
