from __future__ import annotations

_MOST = 20_000
_MOST_BYTES = 64 * 1024 * 1024


class EncodedObjects(dict[tuple[str, int, str], bytes]):
    """The encoded objects that are kept, by uid, resource version and representation; when full, it starts anew."""

    def __init__(self) -> None:
        super().__init__()
        self._bytes = 0

    def keep(self, key: tuple[str, int, str], encoded: bytes) -> bytes:
        """Keeps and returns an encoded object."""
        if len(self) >= _MOST or self._bytes > _MOST_BYTES:
            self.clear()
            self._bytes = 0
        self[key] = encoded
        self._bytes += len(encoded)
        return encoded
