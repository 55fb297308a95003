from __future__ import annotations

from itertools import chain, zip_longest

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.nodes.arrays import IntArray

_REGION_LABELS = ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")
_ZONE_LABELS = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")


class NodeOrder:
    """The order in which kube-scheduler holds nodes: one of each zone in turn, inside a zone by arrival.

    It is made anew only when a node comes or goes; a node that changes its zone keeps its place until then.
    """

    def __init__(self) -> None:
        self._zones: dict[tuple[str, str], list[int]] = {}
        self._slots: IntArray | None = None

    def set(self, slot: int, old: Node | None, new: Node) -> None:
        """Adds a node, or moves it to the end of another zone if its zone has changed."""
        if old is None:
            self._slots = None
        elif _zone(old) == _zone(new):
            return
        else:
            self._leave_zone(slot, old)
        self._zones.setdefault(_zone(new), []).append(slot)

    def remove(self, slot: int, node: Node) -> None:
        """Takes a node out; an empty zone is forgotten, so that it comes last if it ever returns."""
        self._leave_zone(slot, node)
        self._slots = None

    def _leave_zone(self, slot: int, node: Node) -> None:
        zone = self._zones[_zone(node)]
        zone.remove(slot)
        if not zone:
            del self._zones[_zone(node)]

    def slots(self) -> IntArray:
        """Returns all slots in order."""
        if self._slots is None:
            rounds = zip_longest(*self._zones.values(), fillvalue=-1)
            self._slots = np.array([slot for slot in chain.from_iterable(rounds) if slot >= 0], np.int64)
        return self._slots


def _zone(node: Node) -> tuple[str, str]:
    return _first_label(node, _REGION_LABELS), _first_label(node, _ZONE_LABELS)


def _first_label(node: Node, labels: tuple[str, str]) -> str:
    # the beta label counts only where the present one is missing altogether
    zone = node.labels.get(labels[0])
    return node.labels.get(labels[1], "") if zone is None else zone
