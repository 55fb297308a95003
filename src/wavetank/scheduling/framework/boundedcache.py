from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from wavetank.kernel.discards import discard_large

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MAX_FAMILIES = 4096  # of pods, for what is cached by family
MAX_LARGE = 4  # entries of one cache for very large pods: such a pod may take 50 MB


class BoundedCache(dict[K, V]):
    """A dictionary of at most `size` entries, MAX_LARGE of them large; `keep` fills it and drops the oldest ones."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._large: dict[K, None] = {}

    def keep(self, key: K, value: V, is_large: bool = False) -> V:
        """Adds a value, and returns it; `is_large` says that it or its key takes very much memory."""
        self._large.pop(key, None)
        if key not in self and len(self) >= self._size:
            self._drop(next(iter(self)))
        if is_large:
            if len(self._large) >= MAX_LARGE:
                self._drop(next(iter(self._large)))
            self._large[key] = None
        self[key] = value
        return value

    def clear(self) -> None:
        """Drops all entries."""
        super().clear()
        self._large.clear()

    def _drop(self, key: K) -> None:
        value = self.pop(key, None)
        if key in self._large:
            del self._large[key]
            discard_large(key, value)
