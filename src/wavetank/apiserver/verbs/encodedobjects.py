from __future__ import annotations

_MOST = 20_000
_MOST_BYTES = 64 * 1024 * 1024

EncodedKey = tuple[str, int, str]  # uid, resource version, representation


class EncodedObjects(dict[EncodedKey, bytes]):
    """The encoded objects that are kept; when full, it starts anew.

    Threads may add to it at the same time: the limit of bytes is an approximate one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._bytes = 0

    def keep(self, key: EncodedKey, encoded: bytes) -> bytes:
        """Keeps and returns an encoded object."""
        if len(self) >= _MOST or self._bytes > _MOST_BYTES:
            self.clear()
            self._bytes = 0
        if key not in self:
            self._bytes += len(encoded)
        self[key] = encoded
        return encoded
