"""When users send requests."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, count, repeat

from wavetank.kernel.distributions import Distribution
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.microservices.model.rules import Rules


@dataclass(frozen=True, slots=True)
class IntervalLoad:
    """`load` requests in each interval, evenly spread or (`spike`) all at its start; times in seconds."""

    interval: float = 1.0
    load: float = 1.0
    spike: bool = False
    start: float = 0.0
    stop: float | None = None

    def times(self, rules: Rules, random: random.Random) -> Iterator[Nanoseconds]:
        """Yields the arrivals in order of time."""
        size = int(self.load) if self.spike else int(self.load > 0)
        if not size:
            return iter(())
        instants = _multiples(self.interval if self.spike else self.interval / self.load, self.start, rules)
        return _until_stop(chain.from_iterable(repeat(each, size) for each in instants), self.stop, rules)


def _multiples(gap: float, start: float, rules: Rules) -> Iterator[Nanoseconds]:
    if rules.sums_up_gaps:
        return (rules.span(start + time) for time in accumulate(repeat(gap), initial=0.0))
    if rules.truncates_to_microseconds:
        return count(rules.span(start), rules.span(gap))
    return (rules.span(start + gap * i) for i in count())


@dataclass(frozen=True, slots=True)
class ProfileLoad:
    """Requests at given instants: `points` are (seconds, requests), in order of time.

    A repeating profile starts again `skip` seconds after its last point, up to `passes` times in all.
    """

    points: tuple[tuple[float, int], ...]
    start: float = 0.0
    stop: float | None = None
    repeating: bool = False
    passes: int | None = None
    skip: float = 0.0

    def times(self, rules: Rules, random: random.Random) -> Iterator[Nanoseconds]:
        """Yields the arrivals in order of time."""
        return _until_stop(self._times(rules), self.stop, rules)

    def _times(self, rules: Rules) -> Iterator[Nanoseconds]:
        if not self.points:
            return
        period = self.points[-1][0] + self.skip
        for turn in count() if self.repeating else (0,):
            if self.passes is not None and turn and turn == self.passes:
                return
            for time, size in self.points:
                instant = rules.span(self.start + (turn * period + time))
                yield from repeat(instant, size)
            if not period:
                return  # it would never get past its only instant


def _until_stop(times: Iterator[Nanoseconds], stop: float | None, rules: Rules) -> Iterator[Nanoseconds]:
    if stop is None:
        yield from times
        return
    end = seconds(stop)
    previous: Nanoseconds = 0
    for time in times:
        if (previous if rules.arrival_after_stop else time) >= end:
            return
        yield time
        previous = time


@dataclass(frozen=True, slots=True)
class RateLoad:
    """Poisson arrivals with a rate that changes: `rates` are (second from which it holds, requests per second)."""

    rates: tuple[tuple[float, float], ...]
    stop: float | None = None

    def times(self, rules: Rules, random: random.Random) -> Iterator[Nanoseconds]:
        """Yields the arrivals in order of time."""
        starts = [start for start, _ in self.rates]
        ends = [*starts[1:], math.inf if self.stop is None else self.stop]
        for (start, rate), end in zip(self.rates, ends, strict=True):
            time = start
            while rate > 0 and (time := time + random.expovariate(rate)) < end:
                yield rules.span(time)

    def rate_at(self, time: float) -> float:
        """Returns the rate at a time in seconds."""
        at = bisect_right([start for start, _ in self.rates], time) - 1
        return self.rates[at][1] if at >= 0 else 0.0


@dataclass(frozen=True, slots=True)
class DiurnalLoad:
    """Poisson arrivals whose rate swings around `average` by the share `swing` over `period` seconds."""

    average: float
    swing: float
    period: float = 86_400.0
    stop: float | None = None

    def times(self, rules: Rules, random: random.Random) -> Iterator[Nanoseconds]:
        """Yields the arrivals in order of time: those of the highest rate, thinned out."""
        highest = self.average * (1 + self.swing)
        end = math.inf if self.stop is None else self.stop
        time = 0.0
        while highest > 0 and (time := time + random.expovariate(highest)) < end:
            rate = self.average * (1 + self.swing * math.sin(2 * math.pi * time / self.period))
            if random.random() * highest < rate:
                yield rules.span(time)


@dataclass(frozen=True, slots=True)
class RecordedLoad:
    """Requests at recorded times, in nanoseconds and in order."""

    instants: tuple[Nanoseconds, ...]

    def times(self, rules: Rules, random: random.Random) -> Iterator[Nanoseconds]:
        """Yields the arrivals."""
        return iter(self.instants)


@dataclass(frozen=True, slots=True)
class ClosedUsers:
    """A number of users; each sends a request, waits for its end, thinks (seconds), and sends the next."""

    users: int
    think: Distribution
    stop: float | None = None

    def times(self, rules: Rules, random: random.Random) -> Iterator[Nanoseconds]:
        """Yields the first arrival of each user: after its first time of thinking."""
        return iter(sorted(rules.span(self.think.sample(random)) for _ in range(self.users)))


Load = IntervalLoad | ProfileLoad | RateLoad | DiurnalLoad | RecordedLoad | ClosedUsers


@dataclass(frozen=True, slots=True)
class Generator:
    """Sends requests of users to one operation."""

    service: str
    operation: str
    load: Load


def poisson_times(rate: float, number: int, random: random.Random) -> tuple[Nanoseconds, ...]:
    """Returns the first arrivals of a Poisson process; `rate` is per second."""
    return tuple(round(time * SECOND) for time in accumulate(random.expovariate(rate) for _ in range(number)))
