from __future__ import annotations

import msgspec

from wavetank.apiserver.api import Api
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.objects.resource import render_time
from wavetank.simulation.served.cluster import ServedCluster

_LOST = {"status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
_BACK = {"status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}


class NodeFaults:
    """Machines of a served cluster that crash and come back, by a click.

    A crashed machine runs nothing, and its node is not ready; the rest is up to the controllers, as in a real cluster.
    """

    def __init__(self, served: ServedCluster) -> None:
        self._served = served

    def fail(self, node: str) -> Response:
        """Crashes a machine; the response is that of the API to the change of the node's status."""
        return self._change(node, _LOST, crash=True)

    def recover(self, node: str) -> Response:
        """Starts a machine again: its pods are restarted."""
        return self._change(node, _BACK, crash=False)

    def _change(self, node: str, condition: dict[str, str], crash: bool) -> Response:
        kubelets = self._served.kubelets
        if kubelets is None:
            raise bad_request("there are no simulated kubelets, so no machine can fail")
        response = _patch_status(self._served.api, node, condition, render_time(self._served.clock.now))
        if response.status == 200:
            if crash:
                kubelets.crash(node)
            else:
                kubelets.repair(node)
        return response


def _patch_status(api: Api, node: str, condition: dict[str, str], now: str) -> Response:
    times = {"lastTransitionTime": now, "lastHeartbeatTime": now}
    patch = {"status": {"conditions": [{"type": "Ready", **condition, **times}]}}
    headers = {"content-type": "application/strategic-merge-patch+json"}
    answer = api.handle(Request("PATCH", f"/api/v1/nodes/{node}/status", (), headers, msgspec.json.encode(patch)))
    assert isinstance(answer, Response)
    return answer
