"""Evictions that would help a pending pod, where disruption budgets forbid some of them."""

from __future__ import annotations

import pytest

from tests.explanation.advising import advised
from tests.support.objects import node_manifest, pod_manifest


def a_budget(name, allowed, **labels):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
        "status": {"disruptionsAllowed": allowed},
    }


@pytest.mark.parametrize(
    ("budgets", "evictions"),
    [
        pytest.param([], ["evict default/q (priority 0)"], id="no budget"),
        pytest.param([a_budget("b", 1, app="q")], ["evict default/q (priority 0)"], id="one disruption allowed"),
        pytest.param(
            [a_budget("b", 0, app="q")], ["evict default/r (priority 5)"], id="none allowed: another pod goes"
        ),
        pytest.param([a_budget("b", 0, app="other")], ["evict default/q (priority 0)"], id="the budget of others"),
        pytest.param(
            [a_budget("b", 1, app="q"), a_budget("c", 1, app="q")],
            ["evict default/r (priority 5)"],
            id="two budgets: the API evicts no such pod",
        ),
        pytest.param([a_budget("b", 0, app="q"), a_budget("c", 0, app="r")], [], id="nothing may go"),
    ],
)
def test_evictions_that_budgets_do_not_allow_are_not_offered(budgets, evictions):
    objects = [
        node_manifest("n", cpu="4"),
        pod_manifest("q", "n", cpu="2", labels={"app": "q"}),
        pod_manifest("r", "n", cpu="2", labels={"app": "r"}, priority=5),
        *budgets,
        pod_manifest("p", cpu="2", priority=10, preemptionPolicy="Never"),
    ]
    assert [offer.text for offer in advised(objects).offers if offer.kind == "eviction"] == evictions


def test_two_pods_of_one_budget_go_only_if_it_allows_both():
    pods = [pod_manifest(name, "n", cpu="2", labels={"app": "q"}) for name in ("q", "r")]
    objects = [node_manifest("n", cpu="4"), *pods, pod_manifest("p", cpu="4", priority=10, preemptionPolicy="Never")]
    for allowed, offered in ((1, []), (2, ["evict default/q (priority 0), default/r (priority 0)"])):
        found = advised([*objects, a_budget("b", allowed, app="q")]).offers
        assert [offer.text for offer in found if offer.kind == "eviction"] == offered
