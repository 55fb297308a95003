"""Claims whose volumes are made for the node that is chosen."""

from __future__ import annotations

import pytest

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume, made
from tests.support.clusters import CachedCluster, one_profile
from tests.support.objects import HOSTNAME, ZONE, a_node

NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
SELECTED = "volume.kubernetes.io/selected-node"
DRIVER = made("CSIDriver", "disk.example.org", spec={"storageCapacity": True})


def dynamic(**fields):
    return a_class("dyn", "disk.example.org", **fields)


def a_capacity(name="left", on="n", **fields):
    topology = {"nodeTopology": {"matchLabels": {HOSTNAME: on}}}
    return made("CSIStorageCapacity", name, storageClassName="dyn", **{**topology, **fields})


def test_any_node_will_do_if_the_class_says_nothing():
    cluster = CachedCluster(a_node("a"), a_node("b"), dynamic(), a_claim("c", storage_class="dyn"))
    assert cluster.feasible(a_claiming_pod("p", "c")) == {"a", "b"}


def test_only_nodes_of_the_allowed_topologies_will_do():
    allowed = [{"matchLabelExpressions": [{"key": ZONE, "values": ["z1"]}]}]
    near, far = a_node("a", zone="z1"), a_node("b", zone="z2")
    cluster = CachedCluster(near, far, dynamic(allowedTopologies=allowed), a_claim("c", storage_class="dyn"))
    assert cluster.feasible(a_claiming_pod("p", "c")) == {"a"}


def test_a_volume_that_exists_is_taken_before_one_is_made():
    cluster = CachedCluster(a_node("a"), a_node("b"), dynamic(), a_claim("c", storage_class="dyn"))
    cluster.add(a_volume("v", storage_class="dyn", on="a"))
    cycle, _ = cluster.attempt(a_claiming_pod("p", "c"))
    a, b = (cluster.plugin("VolumeBinding").volumes_on(cycle, cluster.table.slots[name]) for name in "ab")
    assert [volume.name for _, volume in a.bindings] == ["v"]
    assert [claim.name for claim, _ in b.provisions] == ["c"]


def test_a_claim_with_a_selected_node_is_tried_there_only():
    cluster = CachedCluster(a_node("a"), a_node("b"), dynamic(), a_volume("v", storage_class="dyn", on="b"))
    cluster.add(a_claim("c", storage_class="dyn", annotations={SELECTED: "a"}))
    assert cluster.feasible(a_claiming_pod("p", "c")) == {"a"}


def test_an_assumed_claim_has_its_node_selected():
    cluster = CachedCluster(a_node("a"), a_node("b"), dynamic(), a_claim("c", storage_class="dyn"))
    cycle, _ = cluster.attempt(a_claiming_pod("first", "c"))
    cluster.plugin("VolumeBinding").reserve(cycle, "b")
    assert cluster.feasible(a_claiming_pod("second", "c")) == {"b"}


@pytest.mark.parametrize(
    ("capacity", "claims", "reasons"),
    [
        pytest.param({"capacity": "10Gi"}, ["6Gi"], [], id="enough"),
        pytest.param({"capacity": "10Gi"}, ["6Gi", "6Gi"], [], id="each claim is looked at by itself"),
        pytest.param({"capacity": "10Gi"}, ["11Gi"], [f"1 {NO_SPACE}"], id="too little"),
        pytest.param({"capacity": "1Gi", "maximumVolumeSize": "20Gi"}, ["6Gi"], [], id="the largest volume decides"),
        pytest.param({"capacity": "9Gi", "maximumVolumeSize": "2Gi"}, ["6Gi"], [f"1 {NO_SPACE}"], id="also if less"),
        pytest.param({}, ["6Gi"], [f"1 {NO_SPACE}"], id="nothing is said of the size"),
        pytest.param({"capacity": "9Gi", "nodeTopology": None}, ["6Gi"], [f"1 {NO_SPACE}"], id="of no node"),
    ],
)
def test_the_storage_left_must_be_enough(capacity, claims, reasons):
    cluster = CachedCluster(a_node("n"), dynamic(), DRIVER, a_capacity(**capacity))
    for i, size in enumerate(claims):
        cluster.add(a_claim(f"c{i}", size, "dyn"))
    assert cluster.reasons(a_claiming_pod("p", *(f"c{i}" for i in range(len(claims))))) == reasons


def test_capacity_is_not_counted_for_a_driver_that_does_not_track_it():
    driver = made("CSIDriver", "disk.example.org", spec={"storageCapacity": False})
    cluster = CachedCluster(a_node("n"), dynamic(), driver, a_claim("c", "1Ti", "dyn"))
    assert cluster.feasible(a_claiming_pod("p", "c")) == {"n"}


@pytest.mark.parametrize(
    ("args", "scores"),
    [
        pytest.param({}, {"a": 50, "b": 75}, id="by default less used storage is better"),
        pytest.param(
            {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]},
            {"a": 50, "b": 25},
            id="or as the profile says",
        ),
    ],
)
def test_scores_by_the_storage_used(args, scores):
    gates = frozenset({"StorageCapacityScoring"})
    cluster = CachedCluster(
        a_node("a"), a_node("b"), dynamic(), DRIVER, gates=gates, **one_profile(VolumeBinding=args or {})
    )
    for item in (a_capacity("1", "a", capacity="10Gi"), a_capacity("2", "b", capacity="20Gi")):
        cluster.add(item)
    cluster.add(a_claim("c", "5Gi", "dyn"))
    _, outcome = cluster.attempt(a_claiming_pod("p", "c"))
    names = [cluster.table.nodes[slot].name for slot in outcome.feasible]
    assert dict(zip(names, outcome.scores["VolumeBinding"].tolist(), strict=True)) == scores


def test_without_the_gate_there_are_no_scores():
    cluster = CachedCluster(a_node("a"), a_node("b"), dynamic(), a_claim("c", storage_class="dyn"))
    _, outcome = cluster.attempt(a_claiming_pod("p", "c"))
    assert "VolumeBinding" not in outcome.scores
