"""Claims that wait for their first consumer, and volumes that are there already."""

from __future__ import annotations

import pytest

from tests.scheduling.volumes.storage import a_claim, a_claiming_pod, a_class, a_volume, reached_from
from tests.support.clusters import CachedCluster
from tests.support.objects import ZONE, a_node

NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity"


def bindings(cluster, pod, node):
    cycle, _ = cluster.attempt(pod)
    volumes = cluster.plugin("VolumeBinding").volumes_on(cycle, cluster.table.slots[node])
    return {claim.name: volume.name for claim, volume in volumes.bindings}


@pytest.mark.parametrize(
    ("volumes", "claim", "taken"),
    [
        pytest.param([("big", "20Gi", {}), ("small", "6Gi", {})], {}, "small", id="the smallest that fits"),
        pytest.param([("tiny", "4Gi", {}), ("big", "20Gi", {})], {}, "big", id="not a smaller one"),
        pytest.param([("a", "6Gi", {"phase": "Released"})], {}, None, id="only available ones"),
        pytest.param([("a", "6Gi", {"volumeMode": "Block"})], {}, None, id="of the same mode"),
        pytest.param([("a", "6Gi", {"volumeMode": "Block"})], {"volumeMode": "Block"}, "a", id="raw blocks too"),
        pytest.param([("a", "6Gi", {})], {"accessModes": ["ReadWriteMany"]}, None, id="with all access modes"),
        pytest.param(
            [("a", "6Gi", {}), ("b", "9Gi", {"labels": {"tier": "gold"}})],
            {"selector": {"matchLabels": {"tier": "gold"}}},
            "b",
            id="that the claim selects",
        ),
        pytest.param(
            [("a", "6Gi", {}), ("b", "9Gi", {"phase": "Pending", "claimRef": {"namespace": "default", "name": "c"}})],
            {},
            "b",
            id="one reserved for the claim before all others, whatever its phase",
        ),
        pytest.param(
            [("a", "6Gi", {"claimRef": {"namespace": "default", "name": "other"}})],
            {},
            None,
            id="none reserved for another claim",
        ),
        pytest.param(
            [("a", "6Gi", {"claimRef": {"namespace": "default", "name": "c", "uid": "former"}})],
            {},
            None,
            id="none of a former claim of that name",
        ),
    ],
)
def test_a_claim_gets(volumes, claim, taken):
    made = [a_volume(name, size, **spec) for name, size, spec in volumes]
    cluster = CachedCluster(a_node("n"), a_class("local"), a_claim("c", **claim), *made)
    assert bindings(cluster, a_claiming_pod("p", "c"), "n") == ({} if taken is None else {"c": taken})
    assert cluster.feasible(a_claiming_pod("p", "c")) == (set() if taken is None else {"n"})


def test_each_node_has_its_own_choice():
    cluster = CachedCluster(a_node("a"), a_node("b"), a_node("c"), a_class("local"), a_claim("c"))
    for volume in (a_volume("on-a", on="a"), a_volume("on-b", "7Gi", on="b")):
        cluster.add(volume)
    pod = a_claiming_pod("p", "c")
    assert (bindings(cluster, pod, "a"), bindings(cluster, pod, "b")) == ({"c": "on-a"}, {"c": "on-b"})
    assert cluster.feasible(pod) == {"a", "b"}


def test_smaller_claims_choose_first_without_backtracking():
    cluster = CachedCluster(a_node("n"), a_class("local"), a_claim("large", "6Gi"), a_claim("little", "1Gi"))
    cluster.add(a_volume("only", "8Gi"))
    assert bindings(cluster, a_claiming_pod("p", "large", "little"), "n") == {"little": "only"}
    assert cluster.reasons(a_claiming_pod("p", "large", "little")) == [f"1 {NO_VOLUME}"]


def test_a_node_may_be_refused_for_several_reasons():
    bound = a_volume("far", nodeAffinity=reached_from(ZONE, "z1"))
    cluster = CachedCluster(a_node("n"), a_class("local"), bound, a_claim("b", bound_to="far"), a_claim("c"))
    assert cluster.reasons(a_claiming_pod("p", "b", "c")) == [f"1 {NO_VOLUME}", f"1 {ELSEWHERE}"]


def test_an_assumed_volume_is_no_longer_free():
    cluster = CachedCluster(a_node("n"), a_class("local"), a_volume("v"), a_claim("c"), a_claim("d"))
    cycle, _ = cluster.attempt(a_claiming_pod("first", "c"))
    cluster.plugin("VolumeBinding").reserve(cycle, "n")
    assert cluster.reasons(a_claiming_pod("second", "d")) == [f"1 {NO_VOLUME}"]
    cluster.plugin("VolumeBinding").unreserve(cycle, "n")
    assert cluster.feasible(a_claiming_pod("second", "d")) == {"n"}


def test_a_volume_of_many_is_found_by_its_node():
    cluster = CachedCluster(a_class("local"), a_claim("c"))
    for i in range(300):
        cluster.add(a_node(f"n{i}"))
        cluster.add(a_volume(f"v{i}", on=f"n{i}"))
    assert bindings(cluster, a_claiming_pod("p", "c"), "n7") == {"c": "v7"}
