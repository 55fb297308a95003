"""Machines of a served cluster that crash and come back.

A crashed machine runs nothing, and its node is not ready; the rest is up to the controllers, as in a real cluster.
"""

from __future__ import annotations

import msgspec

from wavetank.apiserver.api import Api
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.objects.resource import render_time
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.simulation.served.cluster import ServedCluster

_LOST = {"status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
_BACK = {"status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}


def fail_node(served: ServedCluster, name: str) -> Response:
    """Crashes a machine; the response is that of the API to the change of the node's status."""
    kubelets = _kubelets(served)
    response = _patch_status(served.api, name, _LOST, render_time(served.clock.now))
    if response.status == 200:
        kubelets.crash(name)
    return response


def recover_node(served: ServedCluster, name: str) -> Response:
    """Starts a machine again: its pods are restarted."""
    kubelets = _kubelets(served)
    response = _patch_status(served.api, name, _BACK, render_time(served.clock.now))
    if response.status == 200:
        kubelets.repair(name)
    return response


def _kubelets(served: ServedCluster) -> Kubelets:
    if served.kubelets is None:
        raise bad_request("there are no simulated kubelets, so no machine can fail")
    return served.kubelets


def _patch_status(api: Api, node: str, condition: dict[str, str], now: str) -> Response:
    times = {"lastTransitionTime": now, "lastHeartbeatTime": now}
    patch = {"status": {"conditions": [{"type": "Ready", **condition, **times}]}}
    headers = {"content-type": "application/strategic-merge-patch+json"}
    answer = api.handle(Request("PATCH", f"/api/v1/nodes/{node}/status", (), headers, msgspec.json.encode(patch)))
    assert isinstance(answer, Response)
    return answer
