"""Which existing volume a claim would get on a node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import merge

from wavetank.cluster.objects.storage import AVAILABLE, PersistentVolume, PersistentVolumeClaim


class Candidates:
    """The volumes that would do for one claim, wherever they are; the smallest one that a node can reach is taken.

    Most volumes of large clusters belong to one node or zone each, so they are looked up by that label.
    """

    def __init__(self, claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume]) -> None:
        self.claim = claim
        fitting = [volume for volume in volumes if _fits(claim, volume)]
        self._reserved = next((volume for volume in fitting if volume.is_for(claim)), None)
        self._sorted = sorted((volume for volume in fitting if _is_free(claim, volume)), key=_size)
        self._anywhere: list[int] = []
        self._pinned: dict[str, dict[str, list[int]]] = {}
        for rank, volume in enumerate(self._sorted):
            self._file(rank, volume)

    def match(self, labels: Mapping[str, str], taken: Collection[str]) -> PersistentVolume | None:
        """Returns the volume for a node with these labels; `taken` are the names of volumes that other claims got."""
        if self._reserved is not None and self._reserved.name not in taken:
            return self._reserved if self._reserved.reachable(labels) else None
        near = (values.get(labels.get(key, ""), ()) for key, values in self._pinned.items())
        return self._first(merge(self._anywhere, *near), labels, taken)

    def match_anywhere(self, only_reserved: bool = False) -> PersistentVolume | None:
        """Returns the volume that the claim gets if it need not wait for a node: its own, or the smallest."""
        if self._reserved is not None or only_reserved:
            return self._reserved
        return self._sorted[0] if self._sorted else None

    def _first(
        self, ranks: Iterable[int], labels: Mapping[str, str], taken: Collection[str]
    ) -> PersistentVolume | None:
        volumes = (self._sorted[rank] for rank in ranks)
        return next((volume for volume in volumes if volume.name not in taken and volume.reachable(labels)), None)

    def _file(self, rank: int, volume: PersistentVolume) -> None:
        pin = _pin(volume)
        if pin is None:
            self._anywhere.append(rank)
            return
        key, values = pin
        filed = self._pinned.setdefault(key, defaultdict(list))
        for value in values:
            filed[value].append(rank)


def match_volumes(
    candidates: Sequence[Candidates], labels: Mapping[str, str]
) -> tuple[list[tuple[PersistentVolumeClaim, PersistentVolume]], list[PersistentVolumeClaim]]:
    """Returns the claims that get a volume on a node, with it, and those that get none; smaller claims come first."""
    found: list[tuple[PersistentVolumeClaim, PersistentVolume]] = []
    unmatched: list[PersistentVolumeClaim] = []
    taken: set[str] = set()
    for candidate in sorted(candidates, key=lambda candidate: candidate.claim.request or 0):
        volume = candidate.match(labels, taken)
        if volume is None:
            unmatched.append(candidate.claim)
        else:
            taken.add(volume.name)
            found.append((candidate.claim, volume))
    return found, unmatched


def _fits(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Returns whether a volume that is meant for the claim would do."""
    return (
        volume.deleted is None
        and (volume.claim is None or volume.is_for(claim))
        and volume.capacity >= (claim.request or 0)
        and volume.volume_mode == claim.volume_mode
        and volume.attributes_class == claim.attributes_class
    )


def _is_free(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    return (
        volume.phase == AVAILABLE
        and volume.storage_class == claim.storage_class
        and (claim.selector is None or claim.selector.matches(volume.labels))
        and claim.access_modes <= volume.access_modes
    )


def _size(volume: PersistentVolume) -> int:
    return volume.capacity


def _pin(volume: PersistentVolume) -> tuple[str, frozenset[str]] | None:
    """Returns a label, and the values of it that every node has which can reach the volume."""
    if volume.node_affinity is None or len(volume.node_affinity.terms) != 1:
        return None
    (term,) = volume.node_affinity.terms
    pins = ((item.key, item.values) for item in term.expressions if item.operator == "In")
    return min(pins, default=None, key=lambda pin: (len(pin[1]), pin[0]))
