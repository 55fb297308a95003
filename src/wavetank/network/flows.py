"""Flows over links in virtual time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.network.fairness import Demands, fair_rates
from wavetank.network.link import Link, Route, latency_of

_SLACK = 1e-12  # of the progress: what rounding may leave of a flow that is complete


class Flow:
    """A transfer of `amount` units, which ends or was stopped at `ended`.

    `group` are the flows with the same demands, `until` is their progress at which it is complete, None while it is not
    under way.
    """

    __slots__ = ("_left", "amount", "due", "ended", "group", "until")

    def __init__(self, amount: float, group: _Group) -> None:
        self.amount = amount
        self.group = group
        self.until: float | None = None
        self.due: Nanoseconds | None = None  # when it begins
        self.ended: Nanoseconds | None = None
        self._left = amount  # before it begins and after it has ended

    @property
    def rate(self) -> float:
        """Returns its units per second; 0 before it begins and after it has ended."""
        return 0.0 if self.until is None else self.group.rate

    def left_at(self, now: Nanoseconds) -> float:
        """Returns the units that remain."""
        return self._left if self.until is None else max(0.0, self.until - self.group.progress_at(now))

    def end(self, now: Nanoseconds, left: float) -> None:
        """Notes its end."""
        self.ended, self.due, self._left, self.until = now, None, left, None


class _Group:
    """Flows with the same demands. They have one rate, so that a change of it touches none of them.

    `progress` counts the units of a flow that is there all the time, up to `since`.
    """

    __slots__ = ("_sequence", "_waiting", "demands", "due", "key", "progress", "rate", "since", "under_way")

    def __init__(self, demands: Demands, key: object) -> None:
        self.demands = demands
        self.key = key
        self.under_way: dict[Flow, None] = {}
        self.progress = 0.0
        self.rate = 0.0  # units per second
        self.since: Nanoseconds = 0
        self.due: Nanoseconds | None = None
        self._waiting: list[tuple[float, int, Flow]] = []
        self._sequence = 0

    def progress_at(self, now: Nanoseconds) -> float:
        """Returns the progress at a time from `since` on."""
        return self.progress + self.rate * (now - self.since) / SECOND

    def advance(self, now: Nanoseconds) -> None:
        """Brings the progress up to date; without flows it starts again at 0, where numbers are most exact."""
        self.progress = self.progress_at(now) if self.under_way else 0.0
        self.since = now

    def add(self, flow: Flow) -> None:
        """Lets a flow begin; the progress must be up to date."""
        flow.due, flow.until = None, self.progress + flow.amount
        self._sequence += 1
        self.under_way[flow] = None
        heappush(self._waiting, (flow.until, self._sequence, flow))

    def first(self) -> Flow | None:
        """Returns the flow that is complete next; those that were stopped are dropped."""
        while self._waiting and self._waiting[0][2].until is None:
            heappop(self._waiting)
        return self._waiting[0][2] if self._waiting else None

    def complete(self) -> Iterator[Flow]:
        """Takes the flow that is due, and those that are complete with it, from those that wait."""
        reached = self.progress * (1 + _SLACK)
        first = self.first()
        while (flow := self.first()) is not None and (flow is first or self._waiting[0][0] <= reached):
            heappop(self._waiting)
            yield flow

    def shared_demands(self) -> Demands:
        """Returns what one unit of progress of all flows puts on each link; links without sharing bound each alone."""
        number = len(self.under_way)
        return {link: demand * number if link.shared else demand for link, demand in self.demands.items()}


class FlowNetwork:
    """Flows that share links max-min fairly.

    It has no clock: its user calls `advance` at `next_change` or before, and before each other call. Rates are computed
    again when a flow begins or ends, for the flows that share a link with it, directly or through others; the work
    grows with the number of different routes, not of flows. Completions are rounded to nanoseconds.
    """

    def __init__(self) -> None:
        self.flows: Counter[Link] = Counter()  # under way
        self.begun: Counter[Link] = Counter()  # flows so far
        self.most: Counter[Link] = Counter()  # most flows at once
        self._carried: defaultdict[Link, float] = defaultdict(float)  # bytes of flows that have ended
        self._groups: dict[object, _Group] = {}
        self._on: defaultdict[Link, dict[_Group, None]] = defaultdict(dict)
        self._queue: list[tuple[Nanoseconds, int, Flow | _Group]] = []
        self._sequence = 0

    def send(self, now: Nanoseconds, size: float, route: Route) -> Flow:
        """Starts a transfer of `size` bytes: first the latencies of its links pass, then the bytes flow."""
        return self.start(now, size, Counter(route), latency_of(route))

    def start(self, now: Nanoseconds, amount: float, demands: Demands, latency: Nanoseconds = 0) -> Flow:
        """Starts a flow with any demands, such as a parallel task; it begins to use its links after `latency`."""
        key = tuple(demands.items())
        group = self._groups.get(key) or self._groups.setdefault(key, _Group(demands, key))
        flow = Flow(amount, group)
        self._plan(flow, now + latency)
        return flow

    def stop(self, now: Nanoseconds, flow: Flow) -> None:
        """Ends a flow before it is complete."""
        if flow.ended is None:
            flow.group.advance(now)
            self._leave(flow, now, flow.left_at(now))
            self._reshare(now, [flow.group])

    def carried(self, link: Link, now: Nanoseconds) -> float:
        """Returns the bytes that a link has carried up to `now`."""
        under_way = (
            (flow.amount - flow.left_at(now)) * group.demands[link]
            for group in self._on.get(link, ())
            for flow in group.under_way
        )
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
        changed: dict[_Group, None] = {}
        ended: list[Flow] = []
        while self.next_change == instant:
            change = heappop(self._queue)[2]
            group = change if isinstance(change, _Group) else change.group
            group.advance(instant)
            if isinstance(change, _Group):
                change.due = None
                complete = list(change.complete())
            elif not change.amount or not group.demands:
                complete = [change]
            else:
                self._enter(change)
                complete = []
            for flow in complete:
                self._leave(flow, instant, 0.0)
            ended += complete
            changed[group] = None
        self._reshare(instant, changed)
        return ended

    def _enter(self, flow: Flow) -> None:
        flow.group.add(flow)
        for link in flow.group.demands:
            self._on[link][flow.group] = None
            self.flows[link] += 1
            self.begun[link] += 1
            self.most[link] = max(self.most[link], self.flows[link])

    def _leave(self, flow: Flow, now: Nanoseconds, left: float) -> None:
        group, was_under_way = flow.group, flow.until is not None
        flow.end(now, left)
        if was_under_way:
            del group.under_way[flow]
            for link, demand in group.demands.items():
                self.flows[link] -= 1
                self._carried[link] += (flow.amount - left) * demand
        if not group.under_way:
            self._forget(group)

    def _forget(self, group: _Group) -> None:
        """Drops a group without flows; one that has not begun yet brings it back to its links."""
        group.due = None
        if self._groups.get(group.key) is group:
            del self._groups[group.key]
        for link in group.demands:
            self._on[link].pop(group, None)

    def _reshare(self, now: Nanoseconds, changed: Iterable[_Group]) -> None:
        some = list(changed)
        groups = [group for group in self._affected(some) if group.under_way]
        members = set(some)
        rates = fair_rates([group.shared_demands() for group in groups])
        for group, rate in zip(groups, rates, strict=True):
            if rate != group.rate or group in members:
                group.advance(now)
                group.rate = rate
                self._plan_completion(group, now)

    def _affected(self, changed: list[_Group]) -> Iterator[_Group]:
        """Yields the groups that have changed, those that share a link with one of them, and so on."""
        yield from changed
        known = set(changed)
        links = dict.fromkeys(link for group in changed for link in group.demands if link.shared)
        found = list(links)
        for link in found:
            for group in self._on.get(link, ()):
                if group not in known:
                    known.add(group)
                    yield group
                    new = [each for each in group.demands if each.shared and each not in links]
                    links.update(dict.fromkeys(new))
                    found += new

    def _plan_completion(self, group: _Group, now: Nanoseconds) -> None:
        first = group.first()
        assert first is not None
        self._plan(group, now + round(first.left_at(now) * SECOND / group.rate))

    def _plan(self, change: Flow | _Group, due: Nanoseconds) -> None:
        self._sequence += 1
        change.due = due
        heappush(self._queue, (due, self._sequence, change))
