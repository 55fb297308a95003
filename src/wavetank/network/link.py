from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wavetank.kernel.durations import Nanoseconds


@dataclass(frozen=True, eq=False, slots=True)
class Link:
    """One direction of a connection; `bandwidth` is in bytes per second and above 0.

    The flows on a link share its bandwidth; if it is not `shared`, each of them may use all of it (a backbone).
    """

    name: str
    bandwidth: float
    latency: Nanoseconds = 0
    shared: bool = True


Route = Sequence[Link]


def latency_of(route: Route) -> Nanoseconds:
    """Returns the sum of the latencies of a route's links."""
    return sum(link.latency for link in route)
