"""Amounts of resources by flavor, in milli-CPU, bytes and counts."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

FlavorResource: TypeAlias = tuple[str, str]  # (flavor, resource)
Quantities: TypeAlias = dict[FlavorResource, int]


class Quota(NamedTuple):
    """The quota of a flavor's resource; a limit of None does not limit."""

    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None
