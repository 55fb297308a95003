"""What was overloaded: pods, and links of the network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.cluster.podinstance import PodInstance
from wavetank.microservices.engine.overload import Overload, OverloadWatch
from wavetank.network.flows import FlowNetwork
from wavetank.network.link import Link

_FULL = 0.99  # share of its bandwidth from which on a link counts as full in an interval


@dataclass(frozen=True, slots=True)
class Overloaded:
    """A time in which a pod of a service, or a link, had more work than it could do; the other names are empty."""

    times: Overload
    service: str = ""
    pod: str = ""
    link: str = ""

    @property
    def name(self) -> str:
        """Returns what was overloaded, for messages."""
        return f"service {self.service!r}" if self.service else f"link {self.link!r}"


class LinkLoads:
    """Looks at the links at the end of each interval.

    A link is overloaded over intervals in which it carried all that it could, if meanwhile the number of payloads on it
    has grown by more than chance explains, as `OverloadWatch` defines it.
    """

    def __init__(self, interval: Nanoseconds) -> None:
        self.watches: dict[Link, OverloadWatch] = {}
        self._interval = interval
        self._since: Nanoseconds = 0
        self._last: dict[Link, tuple[float, int, int]] = {}  # bytes, payloads on it, payloads so far

    def take(self, now: Nanoseconds, links: Iterable[Link], network: FlowNetwork) -> None:
        """Closes an interval."""
        elapsed = (now - self._since) / SECOND
        for link in links if elapsed else ():
            carried = network.carried(link, now)
            before, flows, came = self._last.get(link, (0.0, 0, 0))
            is_full = carried - before >= _FULL * link.bandwidth * elapsed
            watch = self.watches.setdefault(link, OverloadWatch(self._interval))
            watch.note(self._since, is_full, flows, came)
            self._last[link] = (carried, network.flows[link], network.begun[link])
            if is_full:
                watch.note(now, is_full, network.flows[link], network.begun[link])
        self._since = now

    def end(self, now: Nanoseconds) -> None:
        """Ends the overloads that last to the end of the run."""
        for watch in self.watches.values():
            watch.end(now, None)


def all_overloads(pods: Iterable[PodInstance], links: LinkLoads) -> list[Overloaded]:
    """Returns all overloads, of pods in the order of their start, then of links."""
    of_pods = [
        Overloaded(each, service=pod.instance.service.name, pod=pod.pod) for pod in pods for each in pod.overloads
    ]
    return of_pods + [Overloaded(each, link=link.name) for link, watch in links.watches.items() for each in watch.found]


def lasting_overloads(overloads: Iterable[Overloaded]) -> Iterator[str]:
    """Yields a sentence for each service or link that is overloaded at the end of the run: since when."""
    earliest: dict[str, Overloaded] = {}
    for each in overloads:
        known = earliest.get(each.name)
        if each.times.until is None and (known is None or each.times.since < known.times.since):
            earliest[each.name] = each
    for name, each in earliest.items():
        times, what = each.times, f"the queue of {each.pod}" if each.pod else "the number of payloads on it"
        unit = " requests" if each.pod else ""
        yield (
            f"{name} has been overloaded since {times.since / SECOND:.1f} s: {what} grew from {times.queued} to"
            f" {times.longest}{unit}"
        )
