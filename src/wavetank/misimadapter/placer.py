from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.cluster.releases import Version
from wavetank.microservices.orchestration.config import ClusterManifests
from wavetank.microservices.orchestration.placing import Placement
from wavetank.microservices.orchestration.pods import Pod
from wavetank.misimadapter.cluster import AdapterCluster
from wavetank.misimadapter.requests import Manifest, NodesUpdate, PodsUpdate
from wavetank.quantity import milli
from wavetank.scheduling.attachable import Attachable


class KubePlacer:
    """Places the pods of a simulated misim-orchestration as the adapter does, without HTTP between them."""

    def __init__(
        self, manifests: ClusterManifests, schedulers: Sequence[Attachable], version: Version, seed: int = 1
    ) -> None:
        self._cluster = AdapterCluster(schedulers, version, seed)
        update = NodesUpdate(list(manifests.nodes), [], list(manifests.machine_sets), list(manifests.machines))
        self._cluster.update_nodes(update)

    def place(self, placed: Sequence[Pod], pending: Sequence[Pod]) -> Placement:
        """Returns nodes for the pending pods, as far as there are any."""
        present, wanted = [_manifest(pod) for pod in placed], [_manifest(pod) for pod in pending]
        result = self._cluster.update_pods(PodsUpdate([*present, *wanted], [], wanted))
        return Placement(
            dict(result.bound),
            {node["metadata"]["name"]: _cpu(node) for node in result.new_nodes},
            [node["metadata"]["name"] for node in result.deleted_nodes],
        )


def _manifest(pod: Pod) -> Manifest:
    spec: dict[str, Any] = dict(pod.deployment.spec)
    if pod.node:
        spec["nodeName"] = pod.node
    metadata = {"name": pod.name, "namespace": "default", "uid": pod.name}
    phase = {"phase": "Running" if pod.node else "Pending"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": phase}


def _cpu(node: Mapping[str, Any]) -> int:
    return milli(node["status"]["allocatable"].get("cpu", 0))
