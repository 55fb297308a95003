"""Labels of objects. Very many are compared by hashes: strings are scattered in memory, so that comparing is slow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.int64]

Labels = Mapping[str, str]
VERY_MANY = 1000  # labels; fewer are compared one by one


class LargeLabels(dict[str, str]):
    """Very many labels of an object; they must not change.

    `hashes` are those of the pairs, in ascending order. Python's hashes have 64 bits: two different pairs with the same
    one are not to be expected.
    """

    __slots__ = ("hashes",)

    def __init__(self, labels: Labels) -> None:
        super().__init__(labels)
        self.hashes = hashes_of(labels.items())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LargeLabels):
            return super().__eq__(other)
        return len(self) == len(other) and bool((self.hashes == other.hashes).all())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __reduce__(self) -> tuple[type[LargeLabels], tuple[dict[str, str]]]:
        return LargeLabels, (dict(self),)  # other processes have other hashes

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.hashes.tobytes())


def hashes_of(pairs: Iterable[tuple[str, str]]) -> Hashes:
    """Returns the hashes of labels in ascending order."""
    import numpy as np

    hashes = np.fromiter(map(hash, pairs), np.int64)
    hashes.sort()
    return hashes


def indexed(labels: Labels) -> Labels:
    """Returns labels in the form in which they are compared."""
    return LargeLabels(labels) if len(labels) > VERY_MANY else labels


def labels_key(labels: Labels) -> Hashable:
    """Returns what equal labels have in common, for use as a key."""
    return labels if isinstance(labels, LargeLabels) else frozenset(labels.items())


def has_all(labels: Labels, hashes: Hashes) -> bool:
    """Tells whether pairs with all these hashes, given in ascending order, are among the labels."""
    if not len(hashes) or len(labels) < len(hashes):
        return not len(hashes)
    present = labels.hashes if isinstance(labels, LargeLabels) else hashes_of(labels.items())
    places = present.searchsorted(hashes)
    return bool(places[-1] < len(present) and (present[places] == hashes).all())
