"""ReplicationControllers: as ReplicaSets, of v1, with labels for a selector and a shorter status."""

from __future__ import annotations

from pathlib import Path

import wavetank
from tests.controllers.clusters import ControllerCluster, a_template

RC = "ReplicationController"


def a_cluster(replicas: int = 2) -> ControllerCluster:
    cluster = ControllerCluster("replicationcontroller")
    metadata = {"name": "web", "namespace": "default"}
    spec = {"replicas": replicas, "template": a_template()}
    cluster.create({"apiVersion": "v1", "kind": RC, "metadata": metadata, "spec": spec})
    return cluster


def test_pods_are_owned_by_it() -> None:
    cluster = a_cluster()
    owner = cluster.get(RC, "web")
    for pod in cluster.pods():
        (reference,) = pod.render()["metadata"]["ownerReferences"]
        assert (reference["apiVersion"], reference["kind"], reference["uid"]) == ("v1", RC, owner.uid)


def test_the_status_has_no_count_of_terminating_pods() -> None:
    cluster = a_cluster(3)
    cluster.start(cluster.pods()[:2])
    counts = {"replicas": 3, "fullyLabeledReplicas": 3, "readyReplicas": 2, "availableReplicas": 2}
    assert cluster.status(RC, "web") == {**counts, "observedGeneration": 1}
    cluster.change(RC, "web", replicas=1)
    counts = {"replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}
    assert cluster.status(RC, "web") == {**counts, "observedGeneration": 2}


def test_a_pod_that_no_longer_matches_is_released_and_replaced() -> None:
    cluster = a_cluster()
    pod = cluster.pods()[0]
    document = pod.render()
    document["metadata"]["labels"] = {"app": "other"}
    cluster.client.update(pod, document)
    cluster.run()
    assert len(cluster.pods(app="web")) == 2
    assert "ownerReferences" not in cluster.pods(app="other")[0].render()["metadata"]


def test_a_run_keeps_its_number_of_pods(tmp_path: Path) -> None:
    workload = tmp_path / "rc.yaml"
    workload.write_text(
        """
apiVersion: v1
kind: ReplicationController
metadata: {name: web}
spec:
  replicas: 3
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}
"""
    )
    drain = {"at": "10s", "drain": "n-0"}
    nodes = [{"name": "n", "count": 2, "cpu": 4, "memory": "8Gi"}]
    results = wavetank.run(cluster={"nodes": nodes}, workload=workload, faults=[drain], horizon="1m", jobs=1)
    pods = results.pods("default", 1, "rows")
    alive = [pod for pod in pods if pod["phase"] == "Running"]
    assert len(alive) == 3
    assert {pod["node"] for pod in alive} == {"n-1"}
    assert len(pods) > 3
