from __future__ import annotations


class Deletions:
    """The nodes that are being removed, by name with the id of their group: empty ones and those being drained."""

    def __init__(self) -> None:
        self.empty: dict[str, str] = {}
        self.drained: dict[str, str] = {}

    def start(self, group: str, node: str, drain: bool) -> None:
        """Notes that the removal of a node has begun."""
        (self.drained if drain else self.empty)[node] = group

    def end(self, node: str) -> None:
        """Notes that a node was removed, or will not be."""
        self.empty.pop(node, None)
        self.drained.pop(node, None)

    def all(self) -> dict[str, str]:
        """Returns all of them."""
        return {**self.empty, **self.drained}

    def count(self, group: str) -> int:
        """Returns how many nodes of a group are being removed."""
        return sum(each == group for each in (*self.empty.values(), *self.drained.values()))
