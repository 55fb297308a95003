"""What the stream of the page says, on a store without a server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.support.objects import pod_manifest
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.ui.feed import ClusterFeed, FeedStream
from wavetank.ui.rows import pod_state, scaler_row, workload_row

NODE_A = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "a", "labels": {"topology.kubernetes.io/zone": "z", "karpenter.sh/nodepool": "spot"}},
    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
}


@pytest.fixture
def store() -> Store:
    store = Store(Clock())
    create(store, NODE_A)
    create(store, pod_manifest("p", requests={"cpu": "500m", "memory": "1Gi"}))
    return store


def create(store: Store, manifest: dict[str, Any]) -> None:
    store.create(parse_resource(manifest, store.specs))


def lines(stream: FeedStream) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.take().splitlines()]


async def settled() -> None:
    await asyncio.sleep(0.1)  # more than the pause between two lines


def test_a_new_page_gets_everything(store: Store) -> None:
    [line] = lines(ClusterFeed(store).open())
    assert line["reset"] is True
    assert line["nodes"] == [["a", 4000, 8 << 30, 110, "z", "spot", True, False, []]]
    assert line["pods"] == [["default", "p", "", "Pending", 500, 1 << 30, 0, "", 0.0, ""]]


def test_later_only_changes_are_sent_and_each_object_once(store: Store) -> None:
    async def scenario() -> None:
        stream = ClusterFeed(store).open()
        stream.take()
        store.bind(store.objects(POD)["default", "p"], "a")
        pod = store.objects(POD)["default", "p"].copy()
        pod.phase = "Running"
        store.update(pod)
        assert stream.take() == b""
        await settled()
        [line] = lines(stream)
        assert [row[2:4] for row in line["pods"]] == [["a", "Running"]]
        assert "nodes" not in line
        assert "reset" not in line
        store.delete(store.objects(POD)["default", "p"])
        store.delete(store.objects(NODE)["", "a"])
        await settled()
        [line] = lines(stream)
        assert line["gone"] == {"pods": [["Pod", "default", "p"]], "nodes": [["Node", "", "a"]]}

    asyncio.run(scenario())


def test_a_page_that_is_closed_is_told_nothing_more(store: Store) -> None:
    feed = ClusterFeed(store)
    stream = feed.open()
    stream.take()
    stream.close()
    create(store, pod_manifest("q"))  # would need a running loop
    assert stream.take() == b""


def test_pages_end_when_the_cluster_is_replaced(store: Store) -> None:
    feed = ClusterFeed(store)
    stream = feed.open()
    other = Store(Clock())
    create(other, {**NODE_A, "metadata": {"name": "b"}})
    feed.follow(other)
    assert stream.closed
    assert [row[0] for row in lines(feed.open())[0]["nodes"]] == ["b"]


def test_a_pod_belongs_to_the_deployment_of_its_replica_set(store: Store) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "1", "controller": True}
    create(
        store,
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web-1", "ownerReferences": [owner]}},
    )
    manifest = pod_manifest("web-1-a")
    manifest["metadata"]["ownerReferences"] = [{**owner, "kind": "ReplicaSet", "name": "web-1"}]
    create(store, manifest)
    [line] = lines(ClusterFeed(store).open())
    assert [row[7] for row in line["pods"]] == ["", "Deployment/web"]
    assert line["workloads"] == []


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "Pending"),
        ({"unschedulable": "0/1 nodes are available"}, "Unschedulable"),
        ({"gates": ("a",)}, "Gated"),
        ({"node_name": "a"}, "Starting"),
        ({"node_name": "a", "phase": "Running"}, "Running"),
        ({"node_name": "a", "phase": "Running", "deleted": 5}, "Terminating"),
        ({"node_name": "a", "phase": "Failed", "deleted": 5}, "Failed"),
    ],
)
def test_a_pod_has_one_state(store: Store, changes: dict[str, Any], state: str) -> None:
    pod = store.objects(POD)["default", "p"].copy()
    for field, value in changes.items():
        setattr(pod, field, value)
    assert pod_state(pod) == state


@pytest.mark.parametrize(
    ("manifest", "row"),
    [
        pytest.param(
            {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 3}, "status": {"updatedReplicas": 1}},
            [3, 1, 0, "rolling out: 1 of 3 updated"],
            id="a rollout",
        ),
        pytest.param(
            {
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "spec": {"replicas": 2},
                "status": {"updatedReplicas": 2, "readyReplicas": 1},
            },
            [2, 2, 1, "waiting: 1 of 2 ready"],
            id="all updated, not all ready",
        ),
        pytest.param(
            {
                "apiVersion": "apps/v1",
                "kind": "DaemonSet",
                "status": {"desiredNumberScheduled": 2, "numberReady": 2, "updatedNumberScheduled": 2},
            },
            [2, 2, 2, "complete"],
            id="a complete DaemonSet",
        ),
        pytest.param(
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "spec": {"completions": 4},
                "status": {"active": 1, "succeeded": 2},
            },
            [4, 0, 2, "1 active, 0 failed"],
            id="a job",
        ),
    ],
)
def test_a_workload_says_how_far_it_is(store: Store, manifest: dict[str, Any], row: list[Any]) -> None:
    found = parse_resource({**manifest, "metadata": {"name": "w"}}, store.specs)
    assert workload_row(found) == [manifest["kind"], "default", "w", *row]


def test_an_autoscaler_says_its_bounds(store: Store) -> None:
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "minReplicas": 2, "maxReplicas": 9}
    manifest = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"}}
    status = {"currentReplicas": 3, "desiredReplicas": 4}
    found = parse_resource({**manifest, "spec": spec, "status": status}, store.specs)
    row = ["HorizontalPodAutoscaler", "default", "h", 3, 2, 9, "scales Deployment/web, wants 4"]
    assert scaler_row(found) == row
