from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MAX_FAMILIES = 4096  # of pods, for what is cached by family
MAX_LARGE_FAMILIES = 16  # the same for pods with very many terms: what is cached of each is large


class BoundedCache(dict[K, V]):
    """A dictionary of at most `size` entries, filled by `keep`: the oldest entry is dropped first."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def keep(self, key: K, value: V) -> V:
        """Adds a value, and returns it."""
        if len(self) >= self._size and key not in self:
            del self[next(iter(self))]
        self[key] = value
        return value
