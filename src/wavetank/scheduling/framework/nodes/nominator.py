from __future__ import annotations

from wavetank.cluster.objects.pod import Pod


class Nominator:
    """Pods that are nominated to a node, where others of the same or a lower priority leave their requests free."""

    def __init__(self) -> None:
        self.is_empty = True  # no pod is nominated
        self.changes: list[str] = []  # nodes whose nominations changed, in order, for caches
        self._on: dict[str, dict[str, Pod]] = {}
        self._node_of: dict[str, str] = {}

    def set(self, pod: Pod, node_name: str) -> None:
        """Nominates a pod to a node, in place of any other nomination; an empty name ends it."""
        self.remove(pod.uid)
        if node_name:
            self._on.setdefault(node_name, {})[pod.uid] = pod
            self._node_of[pod.uid] = node_name
            self.is_empty = False
            self.changes.append(node_name)

    def remove(self, uid: str) -> None:
        """Ends a pod's nomination."""
        node_name = self._node_of.pop(uid, None)
        if node_name is not None:
            del self._on[node_name][uid]
            if not self._on[node_name]:
                del self._on[node_name]
                self.is_empty = not self._on
            self.changes.append(node_name)

    def node_of(self, uid: str) -> str:
        """Returns the node that a pod is nominated to, or an empty string."""
        return self._node_of.get(uid, "")

    def on(self, node_name: str) -> list[Pod]:
        """Returns the pods nominated to a node, in the order of their nomination."""
        return list(self._on.get(node_name, {}).values())

    def nodes(self) -> list[str]:
        """Returns the nodes with nominated pods."""
        return list(self._on)
