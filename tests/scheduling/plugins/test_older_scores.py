"""Scores of 1.19 to 1.23 that later releases compute otherwise."""

from __future__ import annotations

import pytest

from tests.scheduling.plugins.four_nodes import four_nodes, only_score, scores
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod

WEB = {"app": "web"}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s", "namespace": "default"},
    "spec": {"selector": WEB},
}


@pytest.mark.parametrize(
    ("version", "plugin", "cpu", "memory", "score"),
    [
        pytest.param((1, 21), "NodeResourcesLeastAllocated", "1", "1Gi", 81, id="(75 + 87) // 2"),
        pytest.param((1, 21), "NodeResourcesMostAllocated", "1", "1Gi", 18, id="(25 + 12) // 2"),
        pytest.param((1, 21), "NodeResourcesBalancedAllocation", "2", "1Gi", 62, id="100 - |50 - 12.5|"),
        pytest.param((1, 22), "NodeResourcesBalancedAllocation", "2", "1Gi", 81, id="100 - |50 - 12.5| / 2"),
        pytest.param((1, 21), "NodeResourcesBalancedAllocation", "4", "1Gi", 0, id="nothing if one is full"),
        pytest.param((1, 22), "NodeResourcesBalancedAllocation", "4", "1Gi", 56, id="100 - |100 - 12.5| / 2"),
    ],
)
def test_scores_by_requests(version, plugin, cpu, memory, score):
    cluster = CachedCluster(a_node("n", cpu="4", memory="8Gi"), a_node("m"), version=version, **only_score(plugin))
    assert scores(cluster, a_pod("p", cpu=cpu, memory=memory))["n"] == score


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param("", {"a": 100, "b": 100, "c": 100, "d": 100}, id="no sibling yet"),
        # node: 0 and 100; zones: z1 has both pods, z2 none
        pytest.param("aa", {"a": 0, "b": 33, "c": 100, "d": 100}, id="a third for the node, two for its zone"),
        pytest.param("abc", {"a": 0, "b": 0, "c": 33, "d": 100}, id="a node without a zone by itself alone"),
    ],
)
def test_selector_spread_prefers_nodes_and_zones_with_few_siblings(pods, expected):
    siblings = [a_pod(f"p{i}", node, labels=WEB) for i, node in enumerate(pods)]
    cluster = four_nodes(siblings, version=(1, 19), **only_score("SelectorSpread"))
    cluster.add(SERVICE)
    assert scores(cluster, a_pod("new", labels=WEB)) == expected


@pytest.mark.parametrize(("version", "spread"), [((1, 19), False), ((1, 20), True)], ids=["1.19", "1.20"])
def test_from_1_20_siblings_are_spread_by_default_constraints(version, spread):
    cluster = four_nodes([a_pod("p", "a", labels=WEB)], version=version, **only_score("PodTopologySpread"))
    cluster.add(SERVICE)
    found = scores(cluster, a_pod("new", labels=WEB))
    assert (found["a"] < found["c"]) is spread


@pytest.mark.parametrize(("version", "score"), [((1, 23), 50), ((1, 24), 33)], ids=["rounded down", "rounded"])
def test_from_1_24_raw_spread_scores_are_rounded(version, score):
    """Of two nodes a pod weighs log(2 + 2): the raw scores are 2.77 and 1.39, that is 2 and 1, or 3 and 1."""
    spread = [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}]
    constraint = {"topologySpreadConstraints": [{**item, "labelSelector": {"matchLabels": WEB}} for item in spread]}
    nodes = [a_node(name, labels={"kubernetes.io/hostname": name}) for name in "ab"]
    pods = [a_pod("p", "a", labels=WEB), a_pod("q", "a", labels=WEB), a_pod("r", "b", labels=WEB)]
    cluster = CachedCluster(*nodes, *pods, version=version, **only_score("PodTopologySpread"))
    assert scores(cluster, a_pod("new", labels=WEB, **constraint))["a"] == score
