from __future__ import annotations

import hashlib
import random


class Streams:
    """Independent random streams by name, all from one seed.

    A stream's numbers depend on the seed and its own name alone: a new consumer of randomness
    with a new name never shifts what another one draws.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._streams: dict[str, random.Random] = {}

    def stream(self, name: str) -> random.Random:
        """Returns the stream of that name; the same object for the same name."""
        if name not in self._streams:
            digest = hashlib.sha256(f"{self.seed}/{name}".encode()).digest()
            self._streams[name] = random.Random(int.from_bytes(digest))
        return self._streams[name]
