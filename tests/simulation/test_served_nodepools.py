"""Node pools of a served cluster launch nodes for pods that clients create, and remove them again."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.releases import NEWEST
from wavetank.controllers.descriptors import all_names
from wavetank.experiments.document.structures.nodepools import make_provisioning
from wavetank.experiments.document.structures.servednodes import ServedNodesDocument
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.named import find_scheduler
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting

POOL = {
    "name": "general",
    "instanceTypes": [{"name": "small", "cpu": 4, "memory": "8Gi", "price": 0.1}],
    "disruption": {"consolidateAfter": "1m"},
    "boot": "30s",
}


def a_pod(name: str) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 0}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def a_served_cluster() -> ServedCluster:
    read = ServedNodesDocument.read({"nodePools": [POOL]}, "")
    setting = ServedSetting(
        schedulers=(find_scheduler("default", NEWEST),),
        kubelets=True,
        controllers=all_names(),
        provisioning=make_provisioning(read.node_pools, read.provisioner, ""),
        start=0,
    )
    return ServedCluster(setting, lambda token: None)


def test_a_node_is_launched_for_a_pending_pod_and_removed_when_it_is_empty() -> None:
    served = a_served_cluster()
    client = served.api.actor(User())
    client.create(a_pod("web"))
    served.clock.run(5 * 60 * SECOND)
    (node,) = served.store.list(NODE)
    (pod,) = served.store.list(POD)
    assert (node.labels["karpenter.sh/nodepool"], pod.node_name, pod.phase) == ("general", node.name, "Running")
    client.delete(pod)
    served.clock.run(15 * 60 * SECOND)
    assert not list(served.store.list(NODE))
