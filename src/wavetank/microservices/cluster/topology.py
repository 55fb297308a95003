"""The network of a cluster: latency and links between its nodes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from wavetank.kernel.distributions import INSTANT, Distribution
from wavetank.network.link import Link, Route

ZONE = "topology.kubernetes.io/zone"

Way = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Connection:
    """What connects two topology domains: the latency of a message in seconds, and bytes per second each way."""

    latency: Distribution = INSTANT
    bandwidth: float | None = None


@dataclass(frozen=True, slots=True)
class NetworkSetting:
    """The network between nodes. Domains are the values of the label `topology_key`; a node without it is its own.

    A connection holds in both directions, unless there is another one for the way back. `node_bandwidth` is that of
    each node, in bytes per second each way (None: no limit).
    """

    connections: Mapping[Way, Connection] = field(default_factory=dict)
    node_bandwidth: float | None = None
    topology_key: str = ZONE


class ClusterNetwork:
    """Finds the way of messages between nodes: out of a node, from its domain to the other one, into a node.

    Messages inside a node cross no link. Each direction of a connection is a link of its own.
    """

    def __init__(self, setting: NetworkSetting, domains: Mapping[str, str]) -> None:
        self._setting = setting
        self._domains = domains
        self._links: dict[Way, Link] = {}
        self._routes: dict[tuple[str, str, str, str], Route] = {}

    def latency(self, source: str, target: str, random: random.Random) -> float:
        """Draws the latency of one message in seconds; none inside a node, or if no connection is given."""
        found = self._connection(*self._way(source, target)) if source != target else None
        return 0.0 if found is None else max(0.0, found.latency.sample(random))

    def route(self, source: str, target: str) -> Route:
        """Returns the links from one node to another."""
        if source == target:
            return ()
        way = self._way(source, target)
        key = (source, target, *way)
        if key not in self._routes:
            self._routes[key] = tuple(self._crossed(source, target, way))
        return self._routes[key]

    @property
    def links(self) -> Mapping[Way, Link]:
        """Returns the links that were on a route so far, by both ends."""
        return self._links

    def _way(self, source: str, target: str) -> Way:
        return self._domains.get(source, source), self._domains.get(target, target)

    def _connection(self, one: str, other: str) -> Connection | None:
        connections = self._setting.connections
        return connections.get((one, other)) or connections.get((other, one))

    def _crossed(self, source: str, target: str, way: Way) -> list[Link]:
        connection = self._connection(*way)
        parts = (
            ((source, ""), self._setting.node_bandwidth),
            (way, connection.bandwidth if connection is not None else None),
            (("", target), self._setting.node_bandwidth),
        )
        return [self._link(ends, bandwidth) for ends, bandwidth in parts if bandwidth is not None]

    def _link(self, ends: Way, bandwidth: float) -> Link:
        if ends not in self._links:
            self._links[ends] = Link(" → ".join(ends).strip(), bandwidth)
        return self._links[ends]
