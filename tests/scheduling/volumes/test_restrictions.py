"""Disks and claims that pods cannot share."""

from __future__ import annotations

import pytest

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node

IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)


def gce(name, read_only=False):
    return {"gcePersistentDisk": {"pdName": name, "readOnly": read_only}}


def ebs(name, read_only=False):
    return {"awsElasticBlockStore": {"volumeID": name, "readOnly": read_only}}


def iscsi(iqn, lun=0, read_only=False):
    return {"iscsi": {"iqn": iqn, "lun": lun, "targetPortal": f"10.0.0.{lun}", "readOnly": read_only}}


def rbd(image, *monitors, read_only=False, **more):
    return {"rbd": {"image": image, "monitors": list(monitors), "readOnly": read_only, **more}}


@pytest.mark.parametrize(
    ("there", "wanted", "conflict"),
    [
        pytest.param(gce("d"), gce("d"), True, id="the same GCE disk"),
        pytest.param(gce("d"), gce("e"), False, id="another"),
        pytest.param(gce("d", True), gce("d", True), False, id="both only read"),
        pytest.param(gce("d"), gce("d", True), True, id="one writes"),
        pytest.param(ebs("v", True), ebs("v", True), True, id="an EBS volume, even if both only read"),
        pytest.param(iscsi("iqn"), iscsi("iqn", lun=1), True, id="the same IQN, whatever the LUN and portal"),
        pytest.param(iscsi("iqn", read_only=True), iscsi("iqn", read_only=True), False, id="only read"),
        pytest.param(rbd("i", "m1", "m2"), rbd("i", "m2", "m3"), True, id="an image with a common monitor"),
        pytest.param(rbd("i", "m1"), rbd("i", "m2"), False, id="of other monitors"),
        pytest.param(rbd("i", "m1"), rbd("i", "m1", pool="rbd"), True, id="the default pool"),
        pytest.param(rbd("i", "m1"), rbd("i", "m1", pool="fast"), False, id="another pool"),
        pytest.param(gce("d"), ebs("d"), False, id="disks of different kinds"),
    ],
)
def test_a_disk_in_use_keeps_the_pod_off_that_node(there, wanted, conflict):
    cluster = CachedCluster(a_node("n"), a_node("free"))
    cluster.place(a_claiming_pod("other", volumes=[{"name": "d", **there}]), "n")
    assert cluster.feasible(a_claiming_pod("p", volumes=[{"name": "d", **wanted}])) == (
        {"free"} if conflict else {"n", "free"}
    )


def once_pod_claim(*used_on):
    modes = ["ReadWriteOncePod"]
    cluster = CachedCluster(a_node("a"), a_node("b"), a_class("local"), a_volume("v", accessModes=modes))
    cluster.add(a_claim("c", bound_to="v", accessModes=modes))
    for name in used_on:
        cluster.place(a_claiming_pod(f"on-{name}", "c", priority=1), name)
    return cluster


def test_a_claim_for_one_pod_is_refused_on_every_node():
    assert once_pod_claim("a").reasons(a_claiming_pod("p", "c")) == [f"2 {IN_USE}"]
    assert once_pod_claim().feasible(a_claiming_pod("p", "c")) == {"a", "b"}


def test_a_user_on_a_node_that_is_gone_does_not_count():
    cluster = once_pod_claim("a")
    cluster.table.remove_node(a_node("a"))
    assert cluster.feasible(a_claiming_pod("p", "c")) == {"b"}


def test_preemption_frees_the_claim_only_where_its_user_is():
    _, outcome = once_pod_claim("a").attempt(a_claiming_pod("p", "c", priority=10))
    assert outcome.preemption.nominated == "a"
    assert set(outcome.preemption.victims_on) == {"a"}
