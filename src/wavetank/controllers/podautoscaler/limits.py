"""How far a size may change: bounds, the limit without behavior, and policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from wavetank.controllers.podautoscaler.autoscaler import DISABLED, MIN, PODS_POLICY, Behavior, Policy, ScalingRules
from wavetank.controllers.podautoscaler.gointegers import ceil_int32, int32
from wavetank.kernel.durations import Nanoseconds

_FACTOR, _LEAST = 2.0, 4.0  # of a scale-up without behavior: twice the present size, or to 4 at least


class Limited(NamedTuple):
    """A size within all limits, and the condition that explains it."""

    replicas: int
    reason: str
    message: str


_TOO_MANY = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_TOO_FEW = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
_TOO_FAST_UP = ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
_TOO_FAST_DOWN = ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
_WITHIN = ("DesiredWithinRange", "the desired count is within the acceptable range")


def limit(desired: int, current: int, least: int, most: int) -> Limited:
    """Limits a size by the bounds and by the rate of an autoscaler without behavior."""
    rate = ceil_int32(max(_FACTOR * float(current), _LEAST))
    if desired < least:
        return Limited(least, *_TOO_FEW)
    if most > rate and desired > rate:
        return Limited(rate, *_TOO_FAST_UP)
    if desired > min(most, rate):
        return Limited(most, *_TOO_MANY)
    return Limited(desired, *_WITHIN)


@dataclass
class _ScaleEvent:
    time: Nanoseconds
    change: int  # 0 or more
    outdated: bool = False


class ScaleEvents:
    """When and by how much one autoscaler has scaled its target; changes by others are not among them."""

    def __init__(self) -> None:
        self._up: list[_ScaleEvent] = []
        self._down: list[_ScaleEvent] = []

    def record(self, old: int, new: int, now: Nanoseconds, behavior: Behavior) -> None:
        """Takes in a change, in the place of one that no policy of its direction looks at any more."""
        events, rules = (self._up, behavior.up) if new > old else (self._down, behavior.down)
        for event in events:
            event.outdated = event.outdated or event.time <= now - rules.longest_period
        made = _ScaleEvent(now, abs(new - old))
        places = [index for index, event in enumerate(events) if event.outdated]
        if places:
            events[places[-1]] = made
        else:
            events.append(made)

    def limit(
        self, desired: int, current: int, bounds: tuple[int, int], behavior: Behavior, now: Nanoseconds
    ) -> Limited:
        """Limits a size by the bounds (least, most) and by the policies of its direction."""
        least, most = bounds
        if desired > current:
            rate = max(current, self._limit_up(current, behavior.up, now))
            if desired > min(most, rate):
                return Limited(rate, *_TOO_FAST_UP) if most > rate else Limited(most, *_TOO_MANY)
        elif desired < current:
            rate = min(current, self._limit_down(current, behavior.down, now))
            if desired < max(least, rate):
                return Limited(rate, *_TOO_FAST_DOWN) if least < rate else Limited(least, *_TOO_FEW)
        return Limited(desired, *_WITHIN)

    def _limit_up(self, current: int, rules: ScalingRules, now: Nanoseconds) -> int:
        def allowed(policy: Policy) -> int:
            start = self._size_before(current, policy.period, now)
            if policy.type == PODS_POLICY:
                return int32(start + policy.value)
            return ceil_int32(float(start) * (1 + float(policy.value) / 100))  # rounded up, or 1 might never grow

        return _selected(rules, current, allowed, largest_change=max, smallest_change=min)

    def _limit_down(self, current: int, rules: ScalingRules, now: Nanoseconds) -> int:
        def allowed(policy: Policy) -> int:
            start = self._size_before(current, policy.period, now)
            if policy.type == PODS_POLICY:
                return int32(start - policy.value)
            return int(float(start) * (1 - float(policy.value) / 100))

        return _selected(rules, current, allowed, largest_change=min, smallest_change=max)

    def _size_before(self, current: int, period: Nanoseconds, now: Nanoseconds) -> int:
        """Returns the size at the beginning of a period; what is exactly as old as the period is before it."""
        added = sum(event.change for event in self._up if event.time > now - period)
        removed = sum(event.change for event in self._down if event.time > now - period)
        return current - added + removed


def _selected(
    rules: ScalingRules,
    current: int,
    allowed: Callable[[Policy], int],
    largest_change: Callable[..., int],
    smallest_change: Callable[..., int],
) -> int:
    if rules.select_policy == DISABLED:
        return current
    choose = smallest_change if rules.select_policy == MIN else largest_change
    return choose(map(allowed, rules.policies))
