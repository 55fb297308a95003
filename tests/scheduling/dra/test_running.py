"""Claims in a running cluster: allocated, used, given back."""

from __future__ import annotations

from tests.scheduling.dra.claims import a_claim, a_class, a_device, a_slice, exactly, on, wanting
from tests.support.clusters import ScheduledCluster
from tests.support.objects import node_manifest, pod_manifest
from wavetank.cluster.objects.pod import SUCCEEDED
from wavetank.controllers.resourceclaims.resourceclaims import ResourceClaims

CLAIMS = "ResourceClaim.resource.k8s.io"


def a_cluster(*objects):
    """One node with one device."""
    return ScheduledCluster(node_manifest("n0"), a_class(), a_slice("n0", a_device("d0")), *objects)


def claim(cluster, name):
    return cluster.store.get(CLAIMS, "default", name)


def test_a_bound_pod_has_its_devices_written_into_its_claim():
    cluster = a_cluster(a_claim("c", exactly()))
    pod = cluster.create(pod_manifest("p", **wanting("c")))
    cluster.run()
    assert cluster.pod("p").node_name == "n0"
    status = claim(cluster, "c").manifest["status"]
    assert status["allocation"] == on("n0", "d0")
    assert status["reservedFor"] == [{"resource": "pods", "name": "p", "uid": pod.uid}]


def test_a_claim_can_be_shared():
    cluster = a_cluster(a_claim("c", exactly()))
    for name in ("p", "q"):
        cluster.create(pod_manifest(name, **wanting("c")))
    cluster.run(3)
    assert [cluster.pod(name).node_name for name in ("p", "q")] == ["n0", "n0"]
    assert len(claim(cluster, "c").reserved_for) == 2


def test_a_missing_claim_is_waited_for():
    cluster = a_cluster()
    cluster.create(pod_manifest("p", **wanting("c")))
    cluster.run(1)
    assert not cluster.scheduler.attempts
    cluster.create(a_claim("c", exactly()))
    cluster.run(1)
    assert cluster.pod("p").node_name == "n0"


def test_a_device_that_is_given_back_goes_to_the_next():
    cluster = a_cluster(a_claim("c", exactly()), a_claim("d", exactly()))
    ResourceClaims(cluster.store)
    cluster.create(pod_manifest("p", **wanting("c")))
    cluster.run()
    cluster.create(pod_manifest("q", **wanting("d")))
    cluster.run(1)
    assert cluster.pod("q").unschedulable.startswith("0/1 nodes are available: 1 cannot allocate all claims.")
    ended = cluster.pod("p").copy()
    ended.phase = SUCCEEDED
    cluster.store.update(ended)
    cluster.run(3)
    assert claim(cluster, "c").allocation is None
    assert cluster.pod("q").node_name == "n0"


def test_an_unused_claim_loses_devices_out_of_reach():
    cluster = ScheduledCluster(
        node_manifest("n0"),
        a_class(),
        a_slice("n0", a_device("d0")),
        a_slice("gone", a_device("d0")),
        a_claim("c", exactly(), allocation=on("gone", "d0")),
    )
    cluster.create(pod_manifest("p", **wanting("c")))
    cluster.run(3)
    assert cluster.pod("p").node_name == "n0"
    assert claim(cluster, "c").manifest["status"]["allocation"] == on("n0", "d0")
