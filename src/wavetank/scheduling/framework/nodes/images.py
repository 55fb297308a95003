from __future__ import annotations

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.nodes.arrays import IntArray


class ImageTable:
    """Which images are on which nodes, and on how many.

    kube-scheduler copies "how many nodes have it" into a node only when it refreshes its snapshot of that node,
    so each slot carries the count of the last time that something happened to it.
    """

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}
        self._term_pods: dict[str, set[int]] = {}
        self._counts: dict[str, IntArray] = {}
        self.outdated: set[int] = set()  # slots to be refreshed
        self._images: dict[int, tuple[str, ...]] = {}
        self.is_empty = True  # no node lists any image

    def set_node(self, slot: int, old: Node | None, new: Node | None) -> None:
        """Takes over the images of a node's new version (None: the node is gone)."""
        for image in old.images if old else ():
            self._drop(image, slot)
        self._images.pop(slot, None)
        for image, size in new.images.items() if new else ():
            self._sizes.setdefault(image, size)
            self._term_pods.setdefault(image, set()).add(slot)
        if new and new.images:
            self._images[slot] = tuple(new.images)
        self.is_empty = not self._sizes

    def touch(self, slot: int) -> None:
        """Notes that a slot will be copied afresh at the beginning of the next cycle."""
        if slot in self._images:
            self.outdated.add(slot)

    def refresh(self) -> None:
        """Copies the present counts into the slots that were touched since the last time."""
        for slot in self.outdated:
            for image in self._images.get(slot, ()):
                self._count_of(image, slot)[slot] = len(self._term_pods[image])
        self.outdated.clear()

    def sizes_and_counts(self, image: str, slots: IntArray) -> tuple[int, IntArray] | None:
        """Returns an image's size in bytes and, for each slot, its count there (0: not there); None if nowhere."""
        counts = self._counts.get(image)
        if counts is None or image not in self._term_pods:
            return None
        padded = np.append(counts, 0)  # slots that came later do not have it
        return self._sizes[image], padded[np.minimum(slots, len(counts))]

    def _count_of(self, image: str, slot: int) -> IntArray:
        counts = self._counts.get(image, np.zeros(0, np.int64))
        if slot >= len(counts):
            counts = np.pad(counts, (0, max(16, 2 * slot) - len(counts)))
            self._counts[image] = counts
        return counts

    def _drop(self, image: str, slot: int) -> None:
        self._term_pods[image].discard(slot)
        if slot < len(self._counts.get(image, ())):
            self._counts[image][slot] = 0
        if not self._term_pods[image]:
            del self._term_pods[image], self._sizes[image]
            self._counts.pop(image, None)
