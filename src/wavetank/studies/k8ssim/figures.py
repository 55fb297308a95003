"""What the claims are about: ratios, orders, and groups of algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from statistics import mean

Values = Mapping[str, float]
ORDERS = ("LRP", "BRA", "MRP")  # by which Volcano's algorithms order nodes


def best(values: Values) -> str:
    """Returns the algorithm with the least value."""
    return min(values, key=lambda name: values[name])


def worst(values: Values) -> str:
    """Returns the algorithm with the greatest value."""
    return max(values, key=lambda name: values[name])


def spread(values: Values) -> float:
    """Returns the greatest value ÷ the least."""
    return max(values.values()) / min(values.values())


def close_rates(latencies: Values) -> dict[str, float]:
    """Returns the CloseRate of each algorithm: its mean job latency ÷ the least."""
    least = min(latencies.values())
    return {name: value / least for name, value in latencies.items()}


def by_node_order(values: Values) -> dict[str, float]:
    """Returns the mean over the Volcano algorithms with each order of nodes."""
    return {order: mean(value for name, value in values.items() if name.endswith(f"_{order}")) for order in ORDERS}


def same_order(ours: Values, theirs: Values) -> tuple[int, int]:
    """Returns of how many pairs of algorithms both put the same first, and of how many pairs both put one first."""
    judged = [(ours[a] - ours[b]) * (theirs[a] - theirs[b]) for a, b in combinations(theirs, 2)]
    return sum(value > 0 for value in judged), sum(value != 0 for value in judged)


def text_of_order(values: Values) -> str:
    """Returns the names from the least to the greatest value: `LRP 1.00 < BRA 1.02`."""
    first = min(values.values())
    return " < ".join(f"{name} {values[name] / first:.2f}" for name in sorted(values, key=lambda name: values[name]))
