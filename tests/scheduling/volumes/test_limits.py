"""How many volumes the CSI drivers of a node can attach."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume, made
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node

DRIVER = "csi.example.com"
TOO_MANY = ["1 node(s) exceed max volume count"]
EBS = {"name": "disk", "awsElasticBlockStore": {"volumeID": "vol-1"}}


def limited(count: int | None, driver: str = DRIVER, **metadata: Any):
    allocatable = {} if count is None else {"allocatable": {"count": count}}
    return made("CSINode", "n", metadata=metadata, spec={"drivers": [{"name": driver, "nodeID": "n", **allocatable}]})


def attached(cluster: CachedCluster, *volumes: str, handle: str | None = None) -> None:
    """Puts a pod with bound volumes on the node."""
    for name in volumes:
        with_volume(cluster, name, handle)
    cluster.place(a_claiming_pod("-".join(volumes), *(f"c-{name}" for name in volumes)), "n")


def with_volume(cluster: CachedCluster, name: str, handle: str | None = None) -> None:
    cluster.add(a_volume(name, csi={"driver": DRIVER, "volumeHandle": handle or name}))
    cluster.add(a_claim(f"c-{name}", bound_to=name))


@pytest.mark.parametrize(
    ("count", "reasons"),
    [
        pytest.param(2, TOO_MANY, id="full"),
        pytest.param(3, [], id="room for one"),
        pytest.param(None, [], id="no limit stated"),
    ],
)
def test_the_count_of_the_node_is_not_exceeded(count, reasons):
    cluster = CachedCluster(a_node("n"), a_class("local"), limited(count))
    attached(cluster, "a", "b")
    with_volume(cluster, "new")
    assert cluster.reasons(a_claiming_pod("p", "c-new")) == reasons


def test_a_count_of_zero_allows_no_volume():
    cluster = CachedCluster(a_node("n"), a_class("local"), limited(0))
    with_volume(cluster, "new")
    assert cluster.reasons(a_claiming_pod("p", "c-new")) == TOO_MANY


def test_other_drivers_and_nodes_without_drivers_have_no_limit():
    other = CachedCluster(a_node("n"), a_class("local"), limited(0, "other.example.com"))
    unknown = CachedCluster(a_node("n"), a_class("local"))
    for cluster in (other, unknown):
        with_volume(cluster, "new")
        assert cluster.feasible(a_claiming_pod("p", "c-new")) == {"n"}


def test_a_volume_that_is_there_already_counts_once():
    cluster = CachedCluster(a_node("n"), a_class("local"), limited(1))
    attached(cluster, "a")
    assert cluster.feasible(a_claiming_pod("p", "c-a")) == {"n"}


def test_two_volumes_with_one_handle_are_one():
    cluster = CachedCluster(a_node("n"), a_class("local"), limited(1))
    attached(cluster, "a", handle="same")
    with_volume(cluster, "b", "same")
    assert cluster.feasible(a_claiming_pod("p", "c-b")) == {"n"}


def test_what_is_still_attached_counts():
    cluster = CachedCluster(a_node("n"), a_class("local"), limited(1))
    with_volume(cluster, "old")
    with_volume(cluster, "new")
    source = {"persistentVolumeName": "old"}
    cluster.add(made("VolumeAttachment", "va", spec={"attacher": DRIVER, "nodeName": "n", "source": source}))
    assert cluster.reasons(a_claiming_pod("p", "c-new")) == TOO_MANY


def test_an_unbound_claim_counts_for_the_driver_of_its_class():
    cluster = CachedCluster(
        a_node("n"), a_class("dyn", DRIVER), limited(1), a_claim("a", "1Gi", "dyn"), a_claim("b", "1Gi", "dyn")
    )
    assert cluster.feasible(a_claiming_pod("p", "a")) == {"n"}
    assert cluster.reasons(a_claiming_pod("p", "a", "b")) == TOO_MANY


def test_an_inline_volume_counts_for_the_driver_that_took_over():
    cluster = CachedCluster(a_node("n"), limited(0, "ebs.csi.aws.com"))
    assert cluster.reasons(a_claiming_pod("p", volumes=[EBS])) == TOO_MANY
    assert CachedCluster(a_node("n"), limited(0)).feasible(a_claiming_pod("p", volumes=[EBS])) == {"n"}


def test_preempting_a_pod_with_volumes_makes_room():
    cluster = CachedCluster(a_node("n"), a_class("local"), limited(1))
    attached(cluster, "a")
    with_volume(cluster, "new")
    _, outcome = cluster.attempt(a_claiming_pod("p", "c-new", priority=10))
    assert outcome.preemption.nominated == "n"


@pytest.mark.parametrize(
    ("objects", "reasons"),
    [
        pytest.param([], [], id="no CSI driver of that name: it may be something else"),
        pytest.param(
            [made("CSIDriver", DRIVER, spec={})],
            [f"1 {DRIVER} CSI driver is not installed on the node"],
            id="a driver that the node does not have",
        ),
        pytest.param([made("CSIDriver", DRIVER, spec={}), limited(None)], [], id="one that it has"),
    ],
)
def test_with_the_gate_the_driver_must_be_installed(objects, reasons):
    cluster = CachedCluster(a_node("n"), a_class("local"), *objects, gates=frozenset({"VolumeLimitScaling"}))
    with_volume(cluster, "new")
    assert cluster.reasons(a_claiming_pod("p", "c-new")) == reasons
