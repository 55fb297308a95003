"""A queue in order, as K8sSim's: a pod that does not fit blocks those behind it."""

from __future__ import annotations

from tests.support.clusters import Cluster
from tests.support.objects import a_pod, node_manifest, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.named.k8ssim import make_algorithm


def a_cluster():
    """A node of 4 CPUs of which a pod has 3; then a pod of 2 is pending, and one of 1 behind it."""
    cluster = Cluster(node_manifest("n", cpu=4, memory="8Gi"), pod_manifest("first", "n", cpu="3", memory=None))
    make_algorithm("EP", (1, 35), compat=True).attach(ActorContext(cluster.store, Streams(0), (1, 35)))
    for name, cpu in (("large", "2"), ("small", "1")):
        cluster.create(a_pod(name, cpu=cpu, memory=None))
    cluster.run(5)
    return cluster


def test_a_pod_that_does_not_fit_blocks_those_behind_it():
    cluster = a_cluster()
    assert not cluster.pod("large").node_name
    assert not cluster.pod("small").node_name


def test_both_are_scheduled_as_soon_as_the_first_fits():
    cluster = a_cluster()
    cluster.store.delete(cluster.pod("first"))
    cluster.run(5)
    assert cluster.pod("large").node_name == cluster.pod("small").node_name == "n"


def test_a_deleted_pod_blocks_no_longer():
    cluster = a_cluster()
    cluster.store.delete(cluster.pod("large"))
    cluster.run(5)
    assert cluster.pod("small").node_name == "n"
