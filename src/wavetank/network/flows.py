"""Flows over links in virtual time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.network.fairness import Demands, fair_rates
from wavetank.network.link import Link, Route, latency_of


class Flow:
    """A transfer under way, or one that has ended at `ended`.

    `demands` are the bytes that each unit of progress puts on a link, `left` the units that remained at `since`.
    """

    __slots__ = ("amount", "demands", "due", "ended", "left", "rate", "since")

    def __init__(self, amount: float, demands: Demands, begins: Nanoseconds) -> None:
        self.amount = amount
        self.demands = demands
        self.left = amount
        self.rate = 0.0  # units per second
        self.since = begins
        self.due: Nanoseconds | None = begins  # when it begins or, at its present rate, ends
        self.ended: Nanoseconds | None = None


class FlowNetwork:
    """Flows that share links max-min fairly.

    It has no clock: its user calls `advance` at `next_change` or before, and before each other call. Rates are computed
    again when a flow begins or ends, for the flows that share a link with it, directly or through others. Completions
    are rounded to nanoseconds.
    """

    def __init__(self) -> None:
        self._carried: defaultdict[Link, float] = defaultdict(float)  # bytes of flows that have ended
        self.most: Counter[Link] = Counter()  # most flows at once
        self._on: dict[Link, dict[Flow, None]] = {}
        self._queue: list[tuple[Nanoseconds, int, Flow]] = []
        self._sequence = 0

    def send(self, now: Nanoseconds, size: float, route: Route) -> Flow:
        """Starts a transfer of `size` bytes: first the latencies of its links pass, then the bytes flow."""
        return self.start(now, size, Counter(route), latency_of(route))

    def start(self, now: Nanoseconds, amount: float, demands: Demands, latency: Nanoseconds = 0) -> Flow:
        """Starts a flow with any demands, such as a parallel task; it begins to use its links after `latency`."""
        flow = Flow(amount, demands, now + latency)
        self._plan(flow, now + latency)
        return flow

    def stop(self, now: Nanoseconds, flow: Flow) -> None:
        """Ends a flow before it is complete."""
        if flow.ended is None:
            self._leave(flow, now, _left(flow, now))
            self._reshare(now, [], [flow])

    def carried(self, link: Link, now: Nanoseconds) -> float:
        """Returns the bytes that a link has carried up to `now`."""
        under_way = ((flow.amount - _left(flow, now)) * flow.demands[link] for flow in self._on.get(link, ()))
        return self._carried[link] + sum(under_way)

    @property
    def next_change(self) -> Nanoseconds | None:
        """Returns when a flow begins or ends next; None if there is none."""
        while self._queue and self._queue[0][2].due != self._queue[0][0]:
            heappop(self._queue)
        return self._queue[0][0] if self._queue else None

    def advance(self, now: Nanoseconds) -> list[Flow]:
        """Brings the flows up to `now`; returns those that have ended meanwhile, in the order of their ends."""
        ended: list[Flow] = []
        while (instant := self.next_change) is not None and instant <= now:
            ended += self._pass(instant)
        return ended

    def _pass(self, instant: Nanoseconds) -> list[Flow]:
        """Lets everything of an instant begin and end, then computes the rates once."""
        begun: list[Flow] = []
        ended: list[Flow] = []
        while self.next_change == instant:
            flow = heappop(self._queue)[2]
            if flow.rate or not flow.amount or not flow.demands:
                self._leave(flow, instant, 0.0)
                ended.append(flow)
            else:
                self._enter(flow)
                begun.append(flow)
        self._reshare(instant, begun, ended)
        return ended

    def _enter(self, flow: Flow) -> None:
        flow.due = None
        for link in flow.demands:
            on = self._on.setdefault(link, {})
            on[flow] = None
            self.most[link] = max(self.most[link], len(on))

    def _leave(self, flow: Flow, now: Nanoseconds, left: float) -> None:
        flow.ended, flow.due, flow.left = now, None, left
        for link, demand in flow.demands.items():
            self._on.get(link, {}).pop(flow, None)
            self._carried[link] += (flow.amount - left) * demand

    def _reshare(self, now: Nanoseconds, begun: list[Flow], ended: list[Flow]) -> None:
        flows = list(self._affected(begun, ended))
        for flow, rate in zip(flows, fair_rates([flow.demands for flow in flows]), strict=True):
            if rate != flow.rate:
                flow.left = _left(flow, now)
                flow.rate, flow.since = rate, now
                self._plan(flow, now + round(flow.left * SECOND / rate))

    def _affected(self, begun: list[Flow], ended: list[Flow]) -> Iterator[Flow]:
        """Yields the flows that have begun, those that share a link with one that has begun or ended, and so on."""
        yield from begun
        known = set(begun)
        links = dict.fromkeys(link for flow in (*begun, *ended) for link in flow.demands if link.shared)
        found = list(links)
        for link in found:
            for flow in self._on.get(link, ()):
                if flow not in known:
                    known.add(flow)
                    yield flow
                    new = [each for each in flow.demands if each.shared and each not in links]
                    links.update(dict.fromkeys(new))
                    found += new

    def _plan(self, flow: Flow, due: Nanoseconds) -> None:
        self._sequence += 1
        flow.due = due
        heappush(self._queue, (due, self._sequence, flow))


def _left(flow: Flow, now: Nanoseconds) -> float:
    """Returns the units that remain."""
    return max(0.0, flow.left - flow.rate * (now - flow.since) / SECOND)
