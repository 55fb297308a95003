from __future__ import annotations

from wavetank.cluster.objects.node import PRICE, Node
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.results.metrics.podtable import PodTable

_HOUR_S = 3600


def cost(pods: PodTable) -> float | None:
    """Returns what the nodes cost from the first submission to the last end; None if none of them has a price."""
    prices = [price for node in pods.recorder.nodes if (price := price_of(node)) is not None]
    begin, end = pods.busy_span()
    return sum(prices) * (end - begin) / SECOND / _HOUR_S if prices else None


def price_of(node: Node) -> float | None:
    """Returns what an hour of a node costs, or None."""
    text = node.annotations.get(PRICE, node.labels.get(PRICE))
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        problem = f"expected a price per hour, got {text!r:.60}"
        raise InputError(problem, path=f"node {node.name}: {PRICE}") from None
