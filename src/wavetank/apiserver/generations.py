"""Generations of objects."""

from __future__ import annotations

_LARGEST = 2**63 - 1  # clients read them as int64


def next_generation(present: int | None) -> int:
    """Returns the generation after a present one; the largest one is its own."""
    return min((present or 0) + 1, _LARGEST)
