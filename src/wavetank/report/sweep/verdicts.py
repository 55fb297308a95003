"""What the seeds cannot tell, in words."""

from __future__ import annotations

UNTOLD = "?: these seeds cannot tell whether it is worse, about so many seeds would"
_MOST = 10_000


def untold(seeds: int | None) -> str:
    """Returns `cannot tell; 34 seeds would`."""
    return "cannot tell" if seeds is None else f"cannot tell; {about(seeds)} seeds would"


def untold_mark(seeds: int | None) -> str:
    """Returns ` (? 34 seeds)`, which UNTOLD explains."""
    return " (?)" if seeds is None else f" (? {about(seeds)} seeds)"


def about(seeds: int) -> str:
    """Returns a number in about two digits, rounded up."""
    if seeds > _MOST:
        return f"over {_MOST:,}"
    step = 10 ** max(0, len(str(seeds)) - 2)
    return f"{-(-seeds // step) * step:,}"
