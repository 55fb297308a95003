from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wavetank.cluster.objects.node import Node

FloatArray = npt.NDArray[np.float64]


class LabelColumns:
    """Labels of nodes that are numbers, as arrays by slot; read again only where a node has changed."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[FloatArray, int]] = {}

    def values(self, label: str, nodes: Sequence[Node | None], changes: Sequence[int]) -> FloatArray:
        """Returns the values of a label, NaN where a node has none or no number; `changes` are slots, in order."""
        column, seen = self._columns.get(label, (np.zeros(0), 0))
        if len(column) < len(nodes):
            column = np.pad(column, (0, len(nodes) - len(column)), constant_values=np.nan)
        for slot in set(changes[seen:]):
            node = nodes[slot]
            if node is not None:  # one that is gone may come back, and it does not make a label unknown
                column[slot] = _number(node.labels.get(label))
        self._columns[label] = (column, len(changes))
        return column


def _number(text: str | None) -> float:
    try:
        return float(text) if text is not None else np.nan
    except ValueError:
        return np.nan
