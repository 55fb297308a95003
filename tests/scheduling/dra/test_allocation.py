"""Which devices claims get, and what pods are told that do not get them."""

from __future__ import annotations

import pytest

from tests.scheduling.dra.claims import (
    DRIVER,
    a_claim,
    a_class,
    a_device,
    a_slice,
    exactly,
    first_of,
    model,
    on,
    wanting,
)
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod

NOT_HELPFUL = "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
SAME_MODEL = {"matchAttribute": f"{DRIVER}/model"}


def a_cluster(*objects, version=(1, 35)):
    """A node with two devices and one with three."""
    slices = (
        a_slice("n0", a_device("d0"), a_device("d1", model="l4", memory="16Gi")),
        a_slice("n1", a_device("d0", model="l4"), a_device("d1", model="h100"), a_device("d2", model="l4")),
    )
    return CachedCluster(a_node("n0"), a_node("n1"), a_class(), *slices, *objects, version=version)


def given(cluster, *claims):
    """Returns (request, device) of what the claims of a pod get, on each node where they get it."""
    cycle = cluster.cycle(a_pod(**wanting(*claims)))
    outcome = cycle.run(cluster.rotation, _First())
    plugin = next(plugin for plugin in cluster.framework.filter if plugin.name == "DynamicResources")
    return {
        node: [
            (result["request"], result["device"])
            for allocation in plugin.allocations(cycle, node).values()
            for result in allocation["devices"]["results"]
        ]
        for node in cluster.names(outcome.feasible)
    }


class _First:
    def choose(self, tied):
        return 0


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param([exactly()], {"n0": ["d0"], "n1": ["d0"]}, id="the first device there is"),
        pytest.param([exactly(count=3)], {"n1": ["d0", "d1", "d2"]}, id="as many as asked for"),
        pytest.param([exactly(mode="All")], {"n0": ["d0", "d1"], "n1": ["d0", "d1", "d2"]}, id="all of them"),
        pytest.param([exactly(where=[model("h100")])], {"n1": ["d1"]}, id="one that a selector wants"),
        pytest.param(
            [exactly("a"), exactly("b", where=[model("l4")])],
            {"n0": ["d0", "d1"], "n1": ["d0", "d2"]},
            id="two requests, first fit",
        ),
        pytest.param(
            [exactly("a", where=[model("l4")]), exactly("b", 2)],
            {"n1": ["d0", "d1", "d2"]},
            id="what is left after the first request",
        ),
    ],
)
def test_devices_are_taken_first_fit(claim, expected):
    found = given(a_cluster(a_claim("c", *claim)), "c")
    assert {node: [device for _, device in results] for node, results in found.items()} == expected


def test_the_search_goes_back_over_all_claims_of_the_pod():
    cluster = a_cluster(a_claim("any", exactly()), a_claim("a100", exactly(where=[model("a100")])))
    assert given(cluster, "any", "a100") == {"n0": [("r", "d1"), ("r", "d0")]}


def test_devices_of_a_constraint_share_the_attribute():
    cluster = a_cluster(a_claim("c", exactly(count=2), constraints=[SAME_MODEL]))
    assert given(cluster, "c") == {"n1": [("r", "d0"), ("r", "d2")]}


def test_a_constraint_may_concern_some_requests_only():
    constraint = {**SAME_MODEL, "requests": ["b"]}
    cluster = a_cluster(a_claim("c", exactly("a", where=[model("h100")]), exactly("b", 2), constraints=[constraint]))
    assert given(cluster, "c") == {"n1": [("a", "d1"), ("b", "d0"), ("b", "d2")]}


def test_the_first_alternative_that_can_be_had_is_taken_and_early_ones_score_more():
    cluster = a_cluster(a_claim("c", first_of("r", ("best", 1, model("h100")), ("good", 1, model("a100")))))
    assert given(cluster, "c") == {"n0": [("r/good", "d0")], "n1": [("r/best", "d1")]}
    outcome = cluster.schedule(a_pod(**wanting("c")))
    assert outcome.scores["DynamicResources"].tolist() == [2 * (100 * 7 // 8), 200]


def test_devices_of_other_claims_are_taken():
    cluster = a_cluster(a_claim("theirs", exactly(), allocation=on("n1", "d0")), a_claim("c", exactly(count=3)))
    assert given(cluster, "c") == {}


def test_a_reserved_device_is_taken_before_the_store_knows():
    cluster = a_cluster(a_claim("a", exactly(where=[model("h100")])), a_claim("b", exactly(where=[model("h100")])))
    cycle = cluster.cycle(a_pod("first", **wanting("a")))
    outcome = cycle.run(cluster.rotation, _First())
    plugin = cluster.framework.reserve[-1]
    plugin.reserve(cycle, outcome.node_name)
    assert given(cluster, "b") == {}
    assert "default/a is in the process of being allocated" in cluster.schedule(a_pod(**wanting("a"))).message
    plugin.unreserve(cycle, outcome.node_name)
    assert given(cluster, "b") == {"n1": [("r", "d1")]}


def test_an_allocated_claim_keeps_its_pods_where_the_devices_are():
    cluster = a_cluster(a_claim("c", exactly(), allocation=on("n1", "d2")))
    assert given(cluster, "c") == {"n1": []}


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        pytest.param(["much"], f"2 cannot allocate all claims. still not schedulable, {NOT_HELPFUL}", id="too much"),
        pytest.param(
            ["here", "there"],
            f"2 resourceclaim not available on the node. still not schedulable, {NOT_HELPFUL}",
            id="claims in use on two nodes",
        ),
        pytest.param(
            ["here", "idle"],
            f"2 resourceclaim not available on the node. deallocation of ResourceClaim completed, {NOT_HELPFUL}",
            id="one of them is not in use",
        ),
        pytest.param(
            ["odd"],
            f"request r: device class tpu does not exist. no new claims to deallocate, {NOT_HELPFUL}",
            id="no such class",
        ),
        pytest.param([], "", id="no claims"),
    ],
)
def test_what_a_pod_is_told(claims, message):
    cluster = a_cluster(
        a_claim("much", exactly(count=4)),
        a_claim("here", exactly(), allocation=on("n0", "d0"), users=["somebody"]),
        a_claim("there", exactly(), allocation=on("n1", "d0"), users=["somebody"]),
        a_claim("idle", exactly(), allocation=on("n1", "d1")),
        a_claim("odd", exactly(of="tpu")),
    )
    told = cluster.schedule(a_pod(**wanting(*claims))).message
    assert told == (f"0/2 nodes are available: {message}" if message else "")


def test_a_pod_waits_outside_the_queue_for_its_claims():
    cluster = a_cluster(a_claim("c", exactly()))
    (plugin,) = (plugin for plugin in cluster.framework.pre_enqueue if plugin.name == "DynamicResources")
    assert plugin.pre_enqueue(a_pod(**wanting("c")))
    assert not plugin.pre_enqueue(a_pod(**wanting("c", "missing")))
    assert not plugin.pre_enqueue(a_pod(resourceClaims=[{"name": "c", "resourceClaimTemplateName": "t"}]))


@pytest.mark.parametrize(
    ("slices", "expected"),
    [
        pytest.param([a_slice("n0", a_device("a"), count=2)], None, id="a pool that is not complete"),
        pytest.param(
            [a_slice("n0", a_device("a"), name="old"), a_slice("n0", a_device("b"), generation=2)], "b", id="a new one"
        ),
    ],
)
def test_only_the_newest_whole_generation_of_a_pool_counts(slices, expected):
    cluster = CachedCluster(a_node("n0"), a_class(), a_claim("c", exactly()), *slices)
    assert given(cluster, "c") == ({"n0": [("r", expected)]} if expected else {})


def test_a_selector_that_cannot_be_evaluated_is_a_scheduler_error():
    outcome = a_cluster(a_claim("c", exactly(where=['device.attributes["x"].y == 1']))).schedule(a_pod(**wanting("c")))
    assert outcome.message == (
        'running "DynamicResources" filter plugin: claim default/c: selector #0: CEL runtime error: no such key: y'
    )
    assert not outcome.rejectors
