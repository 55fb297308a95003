"""Node pools in runs: what is launched, what is consolidated, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.experiments.nodepools.pools import CONTROL, LARGE, ON_DEMAND, POOL, SMALL, deployment, pod_budget, run

EMPTY_ONLY = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s", "budgets": [{"nodes": "100%"}]}
DAEMONS = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "agent", "namespace": "default"},
    "spec": {
        "selector": {"matchLabels": {"app": "agent"}},
        "template": {
            "metadata": {"labels": {"app": "agent"}},
            "spec": {
                "containers": [{"name": "a", "image": "a", "resources": {"requests": {"cpu": "500m"}}}],
                "tolerations": [{"operator": "Exists"}],
            },
        },
    },
}


def pool(**changes: Any) -> dict[str, Any]:
    return {**POOL, **changes}


@pytest.mark.parametrize(
    ("objects", "types"),
    [
        pytest.param([deployment("a", 1)], ["small"], id="the cheapest type for one pod"),
        pytest.param([deployment("a", 6)], ["large"], id="one large node is cheaper than three small ones"),
        pytest.param([deployment("a", 1, "3")], ["large"], id="only the large type holds it"),
        pytest.param([deployment("a", 1, "9")], [], id="no type holds it"),
        pytest.param([deployment("a", 2), DAEMONS], ["large"], id="beside a DaemonSet's pod two do not fit the small"),
        pytest.param(
            [deployment("a", 1, nodeSelector={"node.kubernetes.io/instance-type": "large"})],
            ["large"],
            id="the pod names its type",
        ),
    ],
)
def test_the_cheapest_type_that_holds_the_pods_is_launched(objects: list[dict[str, Any]], types: list[str]) -> None:
    assert run(objects, [pool(disruption={"consolidateAfter": "Never"})]).left == types


def test_a_batch_ends_a_second_after_the_last_pending_pod_and_the_node_comes_after_its_boot_time() -> None:
    witness = run([deployment("a", 1)])
    assert witness.claimed == {"pool-001": 1.0}
    assert witness.came == {"pool-001": 31.0}


def test_pods_are_spread_over_zones() -> None:
    spread = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "a"}},
    }
    zoned = {**SMALL, "zones": ["x", "y", "z"]}
    witness = run([deployment("a", 3, topologySpreadConstraints=[spread])], [pool(instanceTypes=[zoned])])
    nodes = [witness.store.get("Node", "", name) for name in witness.came]
    assert sorted(node.labels["topology.kubernetes.io/zone"] for node in nodes) == ["x", "y", "z"]
    assert all(len(pods) == 1 for name, pods in witness.bound.items() if name in witness.came)


def test_pods_with_anti_affinity_get_a_node_each() -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    assert run([deployment("a", 3, affinity=affinity)]).left == ["small", "small", "small"]


def test_spot_is_taken_if_it_may_be_and_is_cheaper() -> None:
    witness = run([deployment("a", 1)], [pool(requirements=[])])
    node = witness.store.get("Node", "", "pool-001")
    assert node.labels["karpenter.sh/capacity-type"] == "spot"
    assert node.annotations["wavetank.dev/price"] == "0.04"


@pytest.mark.parametrize(
    "limits", [pytest.param({"cpu": 4}, id="of a resource"), pytest.param({"nodes": 2}, id="of nodes")]
)
def test_a_heavier_pool_is_used_until_its_limits_are_reached(limits: dict[str, int]) -> None:
    limited = pool(name="first", weight=10, limits=limits, instanceTypes=[SMALL])
    witness = run([deployment("a", 3, "2")], [limited, pool(name="second", instanceTypes=[LARGE])])
    assert sorted(name.rpartition("-")[0] for name in witness.came) == ["first", "first", "second"]


def test_the_claim_of_an_instance_that_never_starts_is_given_up_and_replaced() -> None:
    witness = run([deployment("a", 1)], [pool(bootFailures=1)], horizon="40m")
    assert not witness.came
    assert len(witness.claimed) == 3


def test_a_node_takes_pods_when_its_startup_taints_are_gone() -> None:
    taint = {"key": "agent-not-ready", "effect": "NoExecute"}
    witness = run([deployment("a", 1)], [pool(startupTaints=[taint], startup="45s")])
    assert list(witness.claimed) == ["pool-001"]
    node = witness.store.get("Node", "", "pool-001")
    assert node.labels["karpenter.sh/initialized"] == "true"
    assert len(witness.bound["pool-001"]) == 1


# consolidation


@pytest.mark.parametrize(
    ("disruption", "left"),
    [
        pytest.param(POOL["disruption"], ["small"], id="WhenEmptyOrUnderutilized replaces the large node"),
        pytest.param(EMPTY_ONLY, ["large"], id="WhenEmpty keeps it as long as a pod is on it"),
        pytest.param({"consolidateAfter": "Never"}, ["large"], id="Never keeps it"),
        pytest.param({**POOL["disruption"], "budgets": [{"nodes": "0"}]}, ["large"], id="no budget"),
        pytest.param(
            {**POOL["disruption"], "budgets": [{"nodes": "0", "reasons": ["Empty"]}]},
            ["small"],
            id="a budget for another reason",
        ),
    ],
)
def test_a_large_node_is_replaced_by_a_cheaper_one_when_its_pods_are_gone(
    disruption: dict[str, Any], left: list[str]
) -> None:
    witness = run([deployment("a", 1), deployment("b", 5, lifetime="4m")], [pool(disruption=disruption)])
    assert witness.left == left


def test_a_node_goes_as_soon_as_its_replacement_is_initialized_and_the_loop_goes_on_a_second_after_the_launch() -> None:
    witness = run([deployment("a", 1, lifetime="6m"), deployment("b", 5, lifetime="4m")])
    launched = witness.claimed["pool-002"]
    initialized = launched + 30 + 1
    drained = initialized + 5
    assert witness.gone["pool-001"] == drained
    assert (witness.gone["pool-002"] - 15 - 5 - launched) % 10 == 1  # validation, the shortest drain


def test_an_empty_node_goes_after_consolidate_after_validation_and_the_shortest_drain() -> None:
    witness = run([deployment("a", 1, lifetime="2m")], [pool(disruption=EMPTY_ONLY)])
    (gone,) = witness.gone.values()
    pod_gone = 120.0
    assert pod_gone + 30 + 15 + 5 <= gone <= pod_gone + 30 + 10 + 15 + 5


def test_several_nodes_are_consolidated_together_into_one() -> None:
    objects = [deployment(f"a{i}", 1, "1100m", arrival=f"{i}m") for i in range(4)]
    settled = {**POOL["disruption"], "consolidateAfter": "5m"}
    witness = run(objects, [pool(instanceTypes=[SMALL, {**LARGE, "price": 0.3}], disruption=settled)])
    assert sorted(witness.types.values()) == ["large", "small", "small", "small", "small"]
    assert witness.left == ["large"]
    assert len(set(witness.gone.values())) == 1


@pytest.mark.parametrize(
    "protection",
    [
        pytest.param({"annotations": {"karpenter.sh/do-not-disrupt": "true"}}, id="by the pod's annotation"),
        pytest.param({}, id="by a budget that allows no disruption"),
    ],
)
def test_protected_pods_keep_their_node(protection: dict[str, Any]) -> None:
    objects = [deployment("a", 1, **protection), deployment("b", 5, lifetime="4m")]
    budgets = [pod_budget("b" if protection else "a", minAvailable=1)]
    assert run(objects, cluster={"nodes": [CONTROL], "objects": budgets}).left == ["large"]


def test_evictions_wait_for_the_disruption_budget_of_the_pods() -> None:
    objects = [deployment("a", 2), deployment("b", 4, lifetime="4m")]
    cluster = {"nodes": [CONTROL], "objects": [pod_budget("a", maxUnavailable=1)]}
    witness = run(objects, [pool(instanceTypes=[{**SMALL, "cpu": 3}, LARGE])], cluster=cluster)
    moved = [time for time, node in witness.evicted if witness.types.get(node) == "large" and time > 300]
    assert witness.left == ["small"]
    assert len(moved) == len(set(moved)) == 2


def test_spot_nodes_are_replaced_by_spot_nodes_only_with_the_feature_gate_and_enough_choice() -> None:
    objects = [deployment("a", 1), deployment("b", 5, lifetime="4m")]
    spot = [pool(requirements=[{**ON_DEMAND, "values": ["spot"]}])]
    gate = {"featureGates": {"SpotToSpotConsolidation": True}}
    assert run(objects, spot).left == ["large"]
    assert run(objects, spot, provisioner=gate).left == ["large"]  # one cheaper type is no choice
    many = [{**SMALL, "name": f"small-{i}", "spotPrice": 0.04 + i / 1000} for i in range(15)]
    wide = [pool(requirements=[{**ON_DEMAND, "values": ["spot"]}], instanceTypes=[*many, LARGE])]
    assert run(objects, wide, provisioner=gate).left == ["small-0"]


def test_a_node_expires_and_its_pod_gets_another() -> None:
    witness = run([deployment("a", 1)], [pool(expireAfter="5m", disruption={"consolidateAfter": "Never"})])
    assert witness.gone["pool-001"] >= 301
    assert witness.claimed["pool-002"] == 302  # a batch after the claim expired, while the node is drained


def test_the_termination_grace_period_ends_a_drain_that_a_pod_blocks() -> None:
    protected = deployment("a", 1, annotations={"karpenter.sh/do-not-disrupt": "true"})
    never = {"consolidateAfter": "Never"}
    kept = run([protected], [pool(expireAfter="5m", disruption=never)])
    ended = run([protected], [pool(expireAfter="5m", disruption=never, terminationGracePeriod="2m")])
    assert not kept.gone
    assert 301 + 120 - 5 <= ended.gone["pool-001"] <= 301 + 120 + 5


def test_spot_nodes_are_interrupted_after_a_notice() -> None:
    spot = pool(requirements=[], spot={"lifetime": 200, "notice": "1m"}, disruption={"consolidateAfter": "Never"})
    witness = run([deployment("a", 1)], [spot], horizon="6m")
    assert witness.claimed["pool-002"] == 232  # the notice comes 200 s after the node, which came at 31 s
    assert witness.gone["pool-001"] <= 231 + 60


def test_the_same_seed_gives_the_same_nodes() -> None:
    zoned = pool(instanceTypes=[{**SMALL, "zones": ["x", "y", "z"]}, LARGE])
    objects = [deployment("a", 3, "2"), deployment("b", 5, lifetime="4m")]
    one, other = (run(objects, [zoned]) for _ in range(2))
    assert (one.came, one.gone, one.bound) == (other.came, other.gone, other.bound)
