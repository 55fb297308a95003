from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store


def _ignore(pod: Pod) -> None:
    """Does nothing."""


class PodsByNode:
    """The pods of each node; `changed` is called with a pod that was bound or changed, `gone` with a deleted one.

    `unscheduled` is called with a pod without a node that was changed.
    """

    def __init__(
        self,
        store: Store,
        changed: Callable[[Pod], None],
        gone: Callable[[Pod], None],
        unscheduled: Callable[[Pod], None] = _ignore,
    ) -> None:
        self._pods: defaultdict[str, dict[str, Pod]] = defaultdict(dict)  # by node and uid
        self._changed = changed
        self._gone = gone
        self._unscheduled = unscheduled
        store.subscribe(Pod.group_kind, self)
        for pod in store.list(Pod.group_kind):
            if pod.node_name:
                self._pods[pod.node_name][pod.uid] = pod

    def on(self, node: str) -> list[Pod]:
        """Returns the pods of a node."""
        return list(self._pods.get(node, {}).values())

    def nodes(self) -> list[str]:
        """Returns the names of all nodes that pods are bound to, whether they exist or not."""
        return [node for node, pods in self._pods.items() if pods]

    def added(self, new: Pod) -> None:
        """Adds a pod."""
        if new.node_name:
            self._pods[new.node_name][new.uid] = new
            self._changed(new)

    def modified(self, old: Pod, new: Pod) -> None:
        """Replaces a pod by its new version."""
        if new.node_name:
            self._pods[new.node_name][new.uid] = new
            self._changed(new)
        else:
            self._unscheduled(new)

    def deleted(self, old: Pod) -> None:
        """Removes a pod."""
        if old.node_name:
            self._pods[old.node_name].pop(old.uid, None)
            self._gone(old)
