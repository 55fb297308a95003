from __future__ import annotations

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds


class NodeWatch:
    """Knows since when nodes are ready."""

    def __init__(self, store: Store) -> None:
        self._clock = store.clock
        self._since: dict[str, Nanoseconds] = {}
        store.subscribe(NODE, modified=self._modified, deleted=self._deleted)

    def ready_since(self, node: Node) -> Nanoseconds:
        """Returns since when a ready node is ready."""
        return self._since.get(node.name, node.created)

    def _modified(self, old: Node, new: Node) -> None:
        if new.ready and not old.ready:
            self._since[new.name] = self._clock.now

    def _deleted(self, old: Node) -> None:
        self._since.pop(old.name, None)
