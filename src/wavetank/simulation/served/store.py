from __future__ import annotations

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store

_TOPOLOGY = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


class ServedStore(Store):
    """A store in which a bound pod gets its node's topology labels, also if it is not bound through the API."""

    def bound(self, old: Pod, node_name: str) -> Pod:
        """Returns the bound version of a pod, with the topology labels of its node."""
        new = super().bound(old, node_name)
        node = self.find(NODE, "", node_name)
        copied = {key: node.labels[key] for key in _TOPOLOGY if key in node.labels} if node is not None else {}
        if copied:
            new.set_labels({**old.labels, **copied})
        return new
