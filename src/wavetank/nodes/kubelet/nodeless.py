from __future__ import annotations

from collections.abc import Callable, Collection

from wavetank.cluster.objects.pod import Pod


class NodelessPods:
    """Pods that are bound to a node that does not exist.

    `found` is called with the first of them, and after each time that there was none.
    """

    def __init__(self) -> None:
        self._pods: dict[str, dict[str, Pod]] = {}  # by node and uid
        self._found: Callable[[], None] | None = None

    def __bool__(self) -> bool:
        return bool(self._pods)

    def __contains__(self, pod: Pod) -> bool:
        return pod.uid in self._pods.get(pod.node_name, {})

    def tell(self, found: Callable[[], None]) -> None:
        """Calls `found` if there are such pods, now or later."""
        self._found = found
        if self._pods:
            found()

    def add(self, pod: Pod) -> None:
        """Adds a pod."""
        is_first = not self._pods
        self._pods.setdefault(pod.node_name, {})[pod.uid] = pod
        if is_first and self._found is not None:
            self._found()

    def remove(self, pod: Pod) -> None:
        """Removes a pod if it is among them."""
        on_node = self._pods.get(pod.node_name, {})
        if on_node.pop(pod.uid, None) is not None and not on_node:
            del self._pods[pod.node_name]

    def take(self, node: str) -> Collection[Pod]:
        """Removes and returns the pods of a node, which exists now."""
        return self._pods.pop(node, {}).values()
