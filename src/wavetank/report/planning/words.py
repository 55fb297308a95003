"""Numbers and lists in words, for answers about a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MOST_NAMES = 3


def percent(share: float) -> str:
    """Returns a share of 1 in percent."""
    return f"{100 * share:.1f} %"


def seconds(value: float) -> str:
    """Returns a time in seconds, or in minutes from three of them on."""
    return f"{value:.1f} s" if value < 180 else f"{value / 60:.1f} min"


def money(value: float | None) -> str:
    """Returns a price, a dash if there is none."""
    return "–" if value is None else f"{value:,.2f}"


def some(names: Sequence[str]) -> str:
    """Returns the first few names."""
    return ", ".join(names[:_MOST_NAMES]) + (f", … ({len(names)})" if len(names) > _MOST_NAMES else "")


def by_reason(pending: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Returns the reasons with their pods, the most frequent first."""
    reasons: dict[str, list[str]] = {}
    for pod, reason in pending.items():
        reasons.setdefault(reason, []).append(pod)
    return sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
