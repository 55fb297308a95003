"""How many pods a workload may have too many or too few while it changes."""

from __future__ import annotations

import math
from typing import NamedTuple


class Fenceposts(NamedTuple):
    """How many pods there may be above what is wanted, and how many of those may be missing."""

    surge: int
    unavailable: int


def resolve_fenceposts(surge: object, unavailable: object, wanted: int) -> Fenceposts:
    """Reads maxSurge and maxUnavailable, numbers or percentages; one pod may be missing if both come to nothing."""
    most, missing = scaled(surge, wanted, round_up=True), scaled(unavailable, wanted, round_up=False)
    return Fenceposts(most, missing if most or missing else 1)


def scaled(value: object, total: int, *, round_up: bool) -> int:
    """Reads a number, or a percentage of `total`; nothing is 0."""
    if isinstance(value, str):
        share = int(value.removesuffix("%")) * total / 100
        return math.ceil(share) if round_up else math.floor(share)
    return int(value) if isinstance(value, int) else 0
