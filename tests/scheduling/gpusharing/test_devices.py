"""Which pod gets which device, from the first to the last, and what becomes of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduling.gpusharing.gpuclusters import a_gpu_node, a_gpu_pod, a_state
from tests.support.clusters import Cluster
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.gpus import GPU_INDEX, WHOLE, device_indices, gpu_demand
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.named import find_scheduler

POLICIES = ["Random", "DotProd", "GpuClustering", "GpuPacking", "BestFit", "FGD"]


class GpuCluster(Cluster):
    """A cluster on which one of the policies schedules."""

    def __init__(self, policy, nodes, pods=()):
        super().__init__(*nodes, *pods)
        self.scheduler = find_scheduler(policy, (1, 36)).attach(ActorContext(self.store, Streams(3), (1, 36)))

    def create(self, item):
        super().create(item)
        self.run()

    def devices(self, name):
        return self.pod(name).annotations.get(GPU_INDEX)

    def delete(self, name):
        self.store.delete(self.pod(name))
        self.run(0)

    def used(self):
        """Returns the thousandths in use by node and device."""
        used = {}
        for pod in self.store.list("Pod"):
            for device in device_indices(pod.annotations.get(GPU_INDEX, "")) if pod.node_name else ():
                key = pod.node_name, device
                used[key] = used.get(key, 0) + gpu_demand(pod).milli
        return used


@pytest.mark.parametrize("policy", POLICIES)
def test_whole_gpus_are_the_first_idle_ones(policy) -> None:
    cluster = GpuCluster(policy, [a_gpu_node("a", gpus=4)])
    cluster.create(a_gpu_pod("p", gpus=1, milli=500))
    cluster.create(a_gpu_pod("q", gpus=2))
    cluster.create(a_gpu_pod("none"))
    first = cluster.devices("p")
    idle = [str(device) for device in range(4) if str(device) != first]
    assert cluster.devices("q") == "-".join(idle[:2])
    assert cluster.devices("none") is None
    assert cluster.pod("none").node_name == "a"


def test_parts_share_a_device_until_it_is_full() -> None:
    cluster = GpuCluster("GpuPacking", [a_gpu_node("a", gpus=2)])
    for name, milli in (("p", 600), ("q", 500), ("r", 300), ("s", 100), ("t", 500)):
        cluster.create(a_gpu_pod(name, gpus=1, milli=milli))
    assert [cluster.devices(name) for name in "pqrst"] == ["0", "1", "0", "0", "1"]
    assert cluster.used() == {("a", 0): 1000, ("a", 1): 1000}


def test_a_pod_waits_for_a_device_and_gets_it_when_it_is_free() -> None:
    cluster = GpuCluster("BestFit", [a_gpu_node("a", gpus=1)])
    cluster.create(a_gpu_pod("p", gpus=1, milli=700))
    cluster.create(a_gpu_pod("q", gpus=1, milli=400))
    assert cluster.pod("q").unschedulable == "0/1 nodes are available: 1 node(s) didn't have enough free GPUs."
    cluster.delete("p")
    cluster.run(10)
    assert (cluster.pod("q").node_name, cluster.devices("q")) == ("a", "0")


def test_a_model_is_a_model() -> None:
    cluster = GpuCluster("FGD", [a_gpu_node("a", model="T4"), a_gpu_node("b", model="A10"), a_gpu_node("c", gpus=0)])
    cluster.create(a_gpu_pod("p", gpus=8, models="A10|V100"))
    cluster.create(a_gpu_pod("q", gpus=1, milli=10, models="V100|A10"))
    assert cluster.pod("p").node_name == "b"
    counted = "1 node(s) didn't have enough free GPUs, 2 node(s) didn't have the requested GPU model"
    assert cluster.pod("q").unschedulable == f"0/3 nodes are available: {counted}."


def test_pods_that_were_there_before_hold_their_devices() -> None:
    known = a_gpu_pod("known", gpus=1, milli=300, devices="1")
    unknown = a_gpu_pod("unknown", gpus=1)
    for manifest in (known, unknown):
        manifest["spec"]["nodeName"] = "a"
    cluster = GpuCluster("BestFit", [a_gpu_node("a", gpus=3)], [known, unknown])
    cluster.create(a_gpu_pod("p", gpus=1, milli=800))
    cluster.create(a_gpu_pod("q", gpus=1, milli=700))
    assert [cluster.devices(name) for name in "pq"] == ["2", "1"]


def test_nodes_may_come_later() -> None:
    cluster = GpuCluster("FGD", [a_gpu_node("a", gpus=1)])
    cluster.create(a_gpu_pod("p", gpus=2, models="G2|H100"))
    assert cluster.pod("p").node_name == ""
    cluster.create(a_gpu_node("b", gpus=16, model="H100"))
    cluster.run(10)
    assert (cluster.pod("p").node_name, cluster.devices("p")) == ("b", "0-1")


def test_whole_gpus_may_be_requested_without_annotations() -> None:
    cluster = GpuCluster("GpuPacking", [a_gpu_node("a", gpus=2)])
    manifest = a_gpu_pod("p", gpus=2)
    manifest["metadata"]["annotations"] = {}
    cluster.create(manifest)
    assert cluster.devices("p") == "0-1"


def test_devices_that_a_node_does_not_have_are_no_devices() -> None:
    state = a_state([a_gpu_node("a", gpus=2)], [("a", a_gpu_pod("p", gpus=1, milli=400, devices="1-7"))])
    assert state.free[0].tolist() == [1000, 600]


WISHES = st.one_of(
    st.tuples(st.just(1), st.integers(1, 999)), st.tuples(st.integers(1, 4), st.just(1000)), st.just((0, 0))
)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(POLICIES), st.lists(st.tuples(WISHES, st.booleans()), max_size=25))
def test_no_device_is_promised_twice_and_no_pod_is_refused_that_fits(policy, wishes) -> None:
    cluster = GpuCluster(
        policy, [a_gpu_node("a", gpus=4), a_gpu_node("b", gpus=2, cpu=8, model="T4"), a_gpu_node("c", gpus=0)]
    )
    for number, ((gpus, milli), leaves) in enumerate(wishes):
        name = f"p{number}"
        before = cluster.used()
        cluster.create(a_gpu_pod(name, gpus=gpus, milli=milli))
        pod = cluster.pod(name)
        demand = gpu_demand(pod)
        fits = any(
            sum(before.get((node, device), 0) + milli <= WHOLE for device in range(count)) >= gpus
            for node, count in (("a", 4), ("b", 2))
        )
        if gpus:
            assert bool(pod.node_name) == fits
            assert len(device_indices(cluster.devices(name) or "x")) == (demand.gpus if fits else 0)
        assert all(amount <= WHOLE for amount in cluster.used().values())
        if leaves:
            cluster.delete(name)
            cluster.run(30)
