"""Random quantities of the model that the kernel does not have."""

from __future__ import annotations

import random
from dataclasses import dataclass

from wavetank.kernel.distributions import Constant, Distribution

ONE = Constant(1)


@dataclass(frozen=True, slots=True)
class SplitNormal:
    """Half a normal distribution on each side of `mode`, each with its own deviation; both are equally likely."""

    mode: float
    below: float
    above: float

    def sample(self, random: random.Random) -> float:
        """Draws one value; it may be negative."""
        deviation = random.gauss(0, 1)
        return self.mode + deviation * (self.below if deviation < 0 else self.above)

    def mean(self) -> float:
        """Returns the expected value."""
        return self.mode + (self.above - self.below) * 0.3989422804014327  # half the mean of |N(0, 1)|


@dataclass(frozen=True, slots=True)
class NotNegative:
    """Another quantity, drawn again until it is not negative (`mean` ignores that)."""

    drawn: Distribution

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        while (value := self.drawn.sample(random)) < 0:
            pass
        return value

    def mean(self) -> float:
        """Returns the mean of the other quantity."""
        return self.drawn.mean()


@dataclass(frozen=True, slots=True)
class PositiveNormal:
    """Normal, drawn again until it is not negative (`mean` ignores that)."""

    average: float
    deviation: float

    def sample(self, random: random.Random) -> float:
        """Draws one value."""
        if not self.deviation:
            return self.average
        while (value := random.gauss(self.average, self.deviation)) < 0:
            pass
        return value

    def mean(self) -> float:
        """Returns the average."""
        return self.average


def certain(quantity: Distribution) -> float | None:
    """Returns the value of a quantity that is always the same, else None."""
    return quantity.value if isinstance(quantity, Constant) else None
