from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import numpy as np
import numpy.typing as npt

from wavetank.cluster.objects.node import Node
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, parse_duration
from wavetank.quantity import parse_quantity

FloatArray = npt.NDArray[np.float64]
Source = Literal["label", "annotation"]


class LabelColumns:
    """Labels and annotations of nodes that are numbers, as arrays by slot; read again only where a node has changed."""

    def __init__(self) -> None:
        self._columns: dict[tuple[Source, str], tuple[FloatArray, int]] = {}

    def values(
        self, name: str, nodes: Sequence[Node | None], changes: Sequence[int], source: Source = "label"
    ) -> FloatArray:
        """Returns the values of a label, NaN where a node has none or no number; `changes` are slots, in order.

        Annotations may also be quantities (1Gi) and durations (20ms, in seconds).
        """
        column, seen = self._columns.get((source, name), (np.zeros(0), 0))
        if len(column) < len(nodes):
            column = np.pad(column, (0, len(nodes) - len(column)), constant_values=np.nan)
        for slot in set(changes[seen:]):
            node = nodes[slot]
            if node is not None:  # one that is gone may come back, and it does not make a label unknown
                column[slot] = _number(node.labels.get(name)) if source == "label" else _amount(node, name)
        self._columns[source, name] = (column, len(changes))
        return column


def _number(text: str | None) -> float:
    try:
        return float(text) if text is not None else np.nan
    except ValueError:
        return np.nan


def _amount(node: Node, annotation: str) -> float:
    text = node.annotations.get(annotation)
    if text is None:
        return np.nan
    with suppress(InputError):
        return float(parse_quantity(text))
    with suppress(InputError):
        return parse_duration(text) / SECOND
    return np.nan
