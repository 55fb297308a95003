"""How many pods a workload may have too many or too few while it changes."""

from __future__ import annotations

from typing import NamedTuple

from wavetank.controllers.workloads.intstr import scaled_value


class Fenceposts(NamedTuple):
    """How many pods there may be above what is wanted, and how many of those may be missing."""

    surge: int
    unavailable: int


def resolve_fenceposts(surge: object, unavailable: object, wanted: int) -> Fenceposts:
    """Reads maxSurge and maxUnavailable, numbers or percentages; one pod may be missing if both come to nothing."""
    most, missing = scaled_value(surge, wanted, round_up=True), scaled_value(unavailable, wanted, round_up=False)
    return Fenceposts(most, missing if most or missing else 1)
