"""Generators of single pods, by when the pods arrive."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path
from random import Random

from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.documents import reading, types
from wavetank.documents.structure import field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Distribution, Exponential
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.workloads.generators.base import MOST_PODS, REQUESTS, Draw, Drawn, GeneratorSpec, Requests

_RATE = types.number(1e-9, 1e9, "pods per second, above 0 and at most 1e9")


class PodGeneratorSpec(GeneratorSpec):
    """Pods that do not depend on each other."""

    counted = "pods"

    pods: int = field(types.integer(1, MOST_PODS), doc="how many")
    duration: Distribution | None = field(
        types.distribution, default=None, otherwise="forever", doc="how long each of them runs"
    )
    requests: Requests = field(
        REQUESTS, default={}, doc="what each requests, or a list of choices `{weight: 1, cpu: …}`"
    )

    @property
    def size(self) -> int:
        """Returns how many pods there are."""
        return self.pods

    @abstractmethod
    def times(self, random: Random) -> Iterator[Nanoseconds]:
        """Yields when the pods arrive, in the order of time."""

    def drawing(self, path: str, folder: Path) -> Draw:
        """Returns a function that draws the pods."""
        return self._draw

    def _draw(self, name: str, stream: Callable[[str], Random]) -> Iterator[Drawn]:
        behaviors, asked = _behaviors(self.duration, stream("durations")), self.requests.draws(stream("requests"))
        for time, behavior, amounts in zip(self.times(stream("arrivals")), behaviors, asked, strict=False):
            yield Drawn(time, 1, behavior, amounts)


class BurstSpec(PodGeneratorSpec):
    """All pods at one time."""

    at: Nanoseconds = field(types.duration, default=0, doc="when all of them arrive")

    def times(self, random: Random) -> Iterator[Nanoseconds]:
        """Yields the same time for all pods."""
        return repeat(self.at, self.pods)


class SpacedSpec(PodGeneratorSpec):
    """One pod after the other."""

    every: Distribution = field(types.distribution, doc="the time between two; the first arrives at 0")

    def times(self, random: Random) -> Iterator[Nanoseconds]:
        """Yields times with gaps between them."""
        return _after_gaps(self.every, self.pods, random)


class PoissonSpec(PodGeneratorSpec):
    """A Poisson process."""

    rate: float = field(_RATE, unit="pods per second", doc="how many arrive on average")

    def times(self, random: Random) -> Iterator[Nanoseconds]:
        """Yields times with exponential gaps, also before the first."""
        gaps = Exponential(1 / self.rate)
        start = seconds(gaps.sample(random))
        return (start + time for time in _after_gaps(gaps, self.pods, random))


class BurstySpec(PodGeneratorSpec):
    """Bursts that share the pods evenly."""

    bursts: int = field(types.integer(1), doc="how many bursts share the pods")
    every: Distribution = field(types.distribution, doc="the time between the beginnings of two bursts")
    spread: Nanoseconds = field(types.duration, default=0, doc="the time within which the pods of a burst arrive")

    def check(self, path: str) -> None:
        """Refuses more bursts than pods."""
        reading.integer(self.bursts, f"{path}.bursts", 1, self.pods)

    def times(self, random: Random) -> Iterator[Nanoseconds]:
        """Yields the times of all bursts, which may overlap."""
        starts, spread = list(_after_gaps(self.every, self.bursts, random)), self.spread / SECOND
        drawn = (starts[i % self.bursts] + seconds(spread * random.random()) for i in range(self.pods))
        return iter(sorted(drawn))


def _read_period(value: object, path: str) -> Nanoseconds:
    period = reading.duration(value, path)
    if not period:
        raise InputError("expected a period above 0 s", path=path)
    return period


class DiurnalSpec(PodGeneratorSpec):
    """A Poisson process whose rate follows the day: rate · (1 + swing · cos(2π (t − peak) / period))."""

    rate: float = field(_RATE, unit="pods per second", doc="how many arrive on average")
    swing: float = field(
        types.number(0, 1, "a share of the rate, 0 to 1"),
        default=0.8,
        unit="share of the rate, 0 to 1",
        doc="how much the rate varies over the day, as a share of its mean",
    )
    peak: Nanoseconds = field(types.duration, default="14h", doc="when the rate is highest")
    period: Nanoseconds = field(
        Type("duration", _read_period, types.duration.schema), default="1d", doc="how long a day is"
    )

    def times(self, random: Random) -> Iterator[Nanoseconds]:
        """Yields times by thinning: candidates come at the highest rate, and the rate of the hour decides."""
        rate, swing, peak, period = self.rate, self.swing, self.peak / SECOND, self.period / SECOND
        gaps, time, left = Exponential(1 / (rate * (1 + swing))), 0.0, self.pods
        while left:
            time += gaps.sample(random)
            share = (1 + swing * math.cos(2 * math.pi * (time - peak) / period)) / (1 + swing)
            if random.random() < share:
                left -= 1
                yield seconds(time)


def _after_gaps(gaps: Distribution, number: int, random: Random) -> Iterator[Nanoseconds]:
    time = 0
    for _ in range(number):
        yield time
        time += seconds(gaps.sample(random))


def _behaviors(duration: Distribution | None, random: Random) -> Iterator[PodBehavior]:
    if duration is None or isinstance(duration, Constant):
        yield from repeat(PodBehavior(None if duration is None else seconds(duration.value)))
    else:
        while True:  # a heavy tail may reach beyond what the clock can count
            yield PodBehavior(min(seconds(duration.sample(random)), reading.LONGEST))
