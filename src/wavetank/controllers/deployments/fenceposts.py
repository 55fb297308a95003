"""The limits of a rolling update, which upstream calls fenceposts."""

from __future__ import annotations

from typing import NamedTuple

from wavetank.controllers.workloads.intstr import scaled_value


class Fenceposts(NamedTuple):
    """How many pods may exist above the desired number, and how many of those may be unavailable."""

    surge: int
    unavailable: int


def resolve_fenceposts(surge: object, unavailable: object, wanted: int) -> Fenceposts:
    """Resolves maxSurge and maxUnavailable, numbers or percentages; if both are 0, one pod may be unavailable."""
    most, missing = scaled_value(surge, wanted, round_up=True), scaled_value(unavailable, wanted, round_up=False)
    return Fenceposts(most, missing if most or missing else 1)
