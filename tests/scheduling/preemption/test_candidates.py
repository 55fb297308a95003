"""Which node a preemption takes, and which pods on it, by kube-scheduler's rules.

Candidates are compared by violated budgets, by the highest priority among the victims, by the sum of their priorities
(each plus 2^31, so that fewer victims weigh less), by their number, and by the start of the most important victims.
"""

from __future__ import annotations

import pytest

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod

IMPORTANT = 10


def a_budget(app, allowed):
    metadata = {"name": app, "namespace": "default"}
    spec, status = {"selector": {"matchLabels": {"app": app}}}, {"disruptionsAllowed": allowed}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def running(name, node, priority=0, cpu="1", app="", started=None):
    pod = a_pod(name, node, cpu=cpu, memory=None, priority=priority, labels={"app": app} if app else None)
    pod.started = None if started is None else started * 10**9
    return pod


def preemption_on(*pods, cpus=2, wanted="2", objects=(), **fields):
    """Lets an important pod try nodes that are full of pods, all of the same size."""
    nodes = [a_node(name, cpu=cpus) for name in sorted({pod.node_name for pod in pods})]
    cluster = CachedCluster(*nodes, *pods, *objects)
    return cluster.schedule(a_pod("important", cpu=wanted, memory=None, **{"priority": IMPORTANT, **fields})).preemption


@pytest.mark.parametrize(
    ("pods", "nominated"),
    [
        pytest.param(
            [running("a", "n0", 1, "2", app="guarded"), running("b", "n1", 5, "2")],
            "n1",
            id="no violated budget, even at a higher priority",
        ),
        pytest.param(
            [running("a", "n0", 5, "2"), running("b", "n1", 3), running("c", "n1", 3)],
            "n1",
            id="a lower highest priority, even with more victims",
        ),
        pytest.param(
            [running("a", "n0", 3), running("b", "n0", 3), running("c", "n1", 3), running("d", "n1", 1)],
            "n1",
            id="a smaller sum of priorities",
        ),
        pytest.param(
            [running("a", "n0", 3), running("b", "n0", 0), running("c", "n1", 3, "2")],
            "n1",
            id="fewer victims",
        ),
        pytest.param(
            [running("a", "n0", 3, "2", started=1), running("b", "n1", 3, "2", started=2)],
            "n1",
            id="victims that started later",
        ),
        pytest.param(
            [
                *(running("a", "n0", 3, started=5), running("b", "n0", 1, started=9)),
                *(running("c", "n1", 3, started=6), running("d", "n1", 1, started=1)),
            ],
            "n1",
            id="only the start of the most important victims counts",
        ),
    ],
)
@pytest.mark.parametrize("mirrored", [False, True], ids=["", "mirrored"])
def test_the_node_that_costs_least_is_nominated(pods, nominated, mirrored):
    other = {"n0": "n1", "n1": "n0"}
    if mirrored:
        pods = [_moved(pod, other[pod.node_name]) for pod in pods]
        nominated = other[nominated]
    assert preemption_on(*pods, objects=[a_budget("guarded", 0)]).nominated == nominated


def _moved(pod, node):
    new = pod.copy()
    new.node_name = node
    return new


@pytest.mark.parametrize(
    ("pods", "wanted", "victims"),
    [
        pytest.param(
            [running("low", "n", 1), running("mid", "n", 2), running("high", "n", 3, "2")],
            "1",
            ["low"],
            id="the most important pods stay",
        ),
        pytest.param(
            [running("low", "n", 1), running("mid", "n", 2), running("high", "n", 3, "2")],
            "2",
            ["mid", "low"],
            id="the largest is also the most important",
        ),
        pytest.param(
            [running("large", "n", 1, "3"), running("small", "n", 2)], "1", ["large"], id="one large pod, not the small"
        ),
        pytest.param(
            [running("large", "n", 2, "3"), running("small", "n", 1)], "1", ["small"], id="one small pod, not the large"
        ),
        pytest.param(
            [running("free", "n", 5, "2"), running("guarded", "n", 1, "2", app="guarded")],
            "2",
            ["free"],
            id="a pod with an exhausted budget stays before a more important one",
        ),
        pytest.param(
            [running("allowed", "n", 1, "2", app="allowed"), running("free", "n", 5, "2")],
            "2",
            ["allowed"],
            id="a budget that allows one disruption is not violated by one",
        ),
        pytest.param(
            [running("first", "n", 1, "2", app="allowed"), running("second", "n", 2, "2", app="allowed")],
            "4",
            ["second", "first"],
            id="a budget is violated if there is no other way",
        ),
        pytest.param(
            [running("equal", "n", IMPORTANT, "2"), running("low", "n", 1, "2")],
            "2",
            ["low"],
            id="pods of the same priority are no victims",
        ),
    ],
)
def test_as_few_and_as_unimportant_pods_as_possible_are_victims(pods, wanted, victims):
    budgets = [a_budget("guarded", 0), a_budget("allowed", 1)]
    found = preemption_on(*pods, cpus=4, wanted=wanted, objects=budgets)
    assert [pod.name for pod in found.victims] == victims


@pytest.mark.parametrize(
    ("pods", "fields"),
    [
        pytest.param([running("low", "n", 1, "2")], {"preemptionPolicy": "Never"}, id="a pod that never preempts"),
        pytest.param([running("equal", "n", IMPORTANT, "2")], {}, id="only pods of its priority"),
        pytest.param([running("low", "n", 1, "2")], {"wanted": "3"}, id="a node that is too small when empty"),
        pytest.param([running("low", "n", 1, "2")], {"nodeSelector": {"disk": "ssd"}}, id="a wrong node"),
    ],
)
def test_no_node_is_nominated(pods, fields):
    found = preemption_on(*pods, **fields)
    assert found is None or found.nominated == ""
