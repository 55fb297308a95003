"""Random quantities as a document writes them: `120`, `{exponential: 120}`, `{mixture: [...]}`."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist
from typing import Protocol

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration, seconds


class Distribution(Protocol):
    """A random quantity, never negative; times are in seconds."""

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        ...

    def mean(self) -> float:
        """Returns the expected value."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """Always `value`; draws nothing from the stream."""

    value: float

    def sample(self, random: random.Random) -> float:
        """Returns the value."""
        return self.value

    def mean(self) -> float:
        """Returns the value."""
        return self.value


INSTANT = Constant(0)


def drawing(distribution: Distribution, random: random.Random) -> Callable[[], Nanoseconds]:
    """Returns a function that draws a time in nanoseconds; of a constant one it costs next to nothing."""
    if isinstance(distribution, Constant):
        always = seconds(distribution.value)
        return lambda: always
    return lambda: seconds(distribution.sample(random))


@dataclass(frozen=True, slots=True)
class Uniform:
    """Any value from `low` to `high`."""

    low: float
    high: float

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        return self.low + (self.high - self.low) * random.random()

    def mean(self) -> float:
        """Returns the middle."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Exponential:
    """Exponential with the given average."""

    average: float

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        return -self.average * math.log1p(-random.random())

    def mean(self) -> float:
        """Returns the average."""
        return self.average


@dataclass(frozen=True, slots=True)
class Normal:
    """Normal, with what falls below zero taken as zero (`mean` ignores that cut)."""

    average: float
    deviation: float

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        return max(0.0, self.average + self.deviation * _standard_normal(random))

    def mean(self) -> float:
        """Returns the average."""
        return self.average


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Log-normal with the given median; `sigma` is the deviation of the logarithm."""

    median: float
    sigma: float

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        return self.median * math.exp(self.sigma * _standard_normal(random))

    def mean(self) -> float:
        """Returns the expected value."""
        return self.median * math.exp(self.sigma**2 / 2)


@dataclass(frozen=True, slots=True)
class Pareto:
    """Pareto from `least` upwards: the smaller `alpha`, the heavier the tail (1 or less: no finite mean)."""

    least: float
    alpha: float

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        return self.least * math.pow(1 - random.random(), -1 / self.alpha)

    def mean(self) -> float:
        """Returns the expected value."""
        return self.least * self.alpha / (self.alpha - 1) if self.alpha > 1 else math.inf


@dataclass(frozen=True, slots=True)
class Weibull:
    """Weibull with the given scale; a `shape` below 1 makes the tail heavier than an exponential one."""

    scale: float
    shape: float

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        return self.scale * math.pow(-math.log1p(-random.random()), 1 / self.shape)

    def mean(self) -> float:
        """Returns the expected value."""
        return self.scale * math.gamma(1 + 1 / self.shape)


@dataclass(frozen=True, slots=True)
class Mixture:
    """One of several distributions, each with its share (the shares sum to 1)."""

    shares: tuple[float, ...]
    parts: tuple[Distribution, ...]

    def sample(self, random: random.Random) -> float:
        """Draws which part, then a value from it."""
        draw = random.random()
        for part, bound in zip(self.parts, accumulate(self.shares), strict=True):
            if draw < bound:
                return part.sample(random)
        return self.parts[-1].sample(random)

    def mean(self) -> float:
        """Returns the expected value."""
        return sum(share * part.mean() for share, part in zip(self.shares, self.parts, strict=True))


def parse_distribution(value: object, *, path: str = "") -> Distribution:
    """Reads a distribution of times from a document."""
    if not isinstance(value, Mapping):
        return Constant(_time(value, path))
    if len(value) != 1 or (kind := str(next(iter(value)))) not in _KINDS:
        known = ", ".join(_KINDS)
        raise InputError(f"expected a duration or one of {known} with its arguments, got {dict(value)!r}", path=path)
    return _KINDS[kind](value[kind], f"{path}.{kind}")


_STANDARD_NORMAL = NormalDist()


def _standard_normal(random: random.Random) -> float:
    # a draw lies in [0, 1), the inverse needs (0, 1): the one excluded point is replaced by its neighbour
    return _STANDARD_NORMAL.inv_cdf(max(random.random(), 2**-53))


def _time(value: object, path: str) -> float:
    try:
        return parse_duration(value, path=path) / SECOND
    except OverflowError:
        raise InputError(f"too long a time: {value!r:.60}…", path=path) from None


def _number(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
        raise InputError(f"expected a number, 0 or more, got {value!r:.60}", path=path)
    return float(value)


def _fields(value: object, names: Sequence[str], path: str) -> list[object]:
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise InputError(f"expected a mapping with exactly {', '.join(names)}, got {value!r}", path=path)
    return [value[name] for name in names]


def _uniform(value: object, path: str) -> Uniform:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise InputError(f"expected [low, high], got {value!r}", path=path)
    low, high = (_time(bound, f"{path}[{i}]") for i, bound in enumerate(value))
    if low > high:
        raise InputError(f"the low end {value[0]!r} is above the high end {value[1]!r}", path=path)
    return Uniform(low, high)


def _normal(value: object, path: str) -> Normal:
    mean, deviation = _fields(value, ("mean", "deviation"), path)
    return Normal(_time(mean, f"{path}.mean"), _time(deviation, f"{path}.deviation"))


def _lognormal(value: object, path: str) -> LogNormal:
    median, sigma = _fields(value, ("median", "sigma"), path)
    return LogNormal(_time(median, f"{path}.median"), _number(sigma, f"{path}.sigma"))


def _pareto(value: object, path: str) -> Pareto:
    least, alpha = _fields(value, ("least", "alpha"), path)
    return Pareto(_time(least, f"{path}.least"), _exponent(alpha, f"{path}.alpha"))


def _weibull(value: object, path: str) -> Weibull:
    scale, shape = _fields(value, ("scale", "shape"), path)
    return Weibull(_time(scale, f"{path}.scale"), _exponent(shape, f"{path}.shape"))


def _exponent(value: object, path: str) -> float:
    # below that, draws leave the range of floating-point numbers
    if (number := _number(value, path)) < 0.05:
        raise InputError(f"expected a number, 0.05 or more, got {value!r:.60}", path=path)
    return number


def _mixture(value: object, path: str) -> Mixture:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise InputError(f"expected a list of {{weight, of}}, got {value!r}", path=path)
    weights, parts = [], []
    for i, item in enumerate(value):
        weight, part = _fields(item, ("weight", "of"), f"{path}[{i}]")
        weights.append(_number(weight, f"{path}[{i}].weight"))
        parts.append(parse_distribution(part, path=f"{path}[{i}].of"))
    if not sum(weights):
        raise InputError("the weights sum to 0", path=path)
    return Mixture(tuple(weight / sum(weights) for weight in weights), tuple(parts))


_KINDS: dict[str, Callable[[object, str], Distribution]] = {
    "constant": lambda value, path: Constant(_time(value, path)),
    "uniform": _uniform,
    "exponential": lambda value, path: Exponential(_time(value, path)),
    "normal": _normal,
    "lognormal": _lognormal,
    "pareto": _pareto,
    "weibull": _weibull,
    "mixture": _mixture,
}
