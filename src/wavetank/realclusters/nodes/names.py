"""Labels and annotations of simulated nodes, and the paths of their objects."""

from __future__ import annotations

SIMULATED = "wavetank.dev/simulated"  # the label of nodes whose kubelet is wavetank: "true"
FAULT = "wavetank.dev/fault"  # an annotation of a node: crash
CRASH = "crash"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
NODES = "/api/v1/nodes"
PODS = "/api/v1/pods"


def pod_path(namespace: str, name: str) -> str:
    """Returns the path of a pod."""
    return f"/api/v1/namespaces/{namespace}/pods/{name}"
