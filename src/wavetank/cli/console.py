"""Where the commands print."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

console = Console(emoji=False)
errors = Console(stderr=True, emoji=False)

_MOST_WARNINGS = 8


def print_warnings(warnings: Sequence[str]) -> None:
    """Prints each distinct warning on a line, the first few of many."""
    distinct = list(dict.fromkeys(warnings))
    for warning in distinct[:_MOST_WARNINGS]:
        errors.print("warning:", warning, style="yellow", soft_wrap=True, highlight=False, markup=False)
    if len(distinct) > _MOST_WARNINGS:
        errors.print(f"… and {len(distinct) - _MOST_WARNINGS} more warnings in the report", style="yellow")
