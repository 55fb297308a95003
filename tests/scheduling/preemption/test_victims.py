"""Which pods have to go for a more important one."""

from __future__ import annotations

import pytest

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod

SPREAD = {
    "maxSkew": 1,
    "topologyKey": "zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchLabels": {"app": "a"}},
}


def running(pod, started):
    pod.started = started
    return pod


def victims_on(cluster, pod):
    found = cluster.schedule(pod).preemption.victims_on
    return {node: [victim.name for victim in victims] for node, victims in found.items()}


@pytest.mark.parametrize(
    ("started", "victim"),
    [
        pytest.param((1, 2), "b", id="the one that started last"),
        pytest.param((2, 1), "a", id="in whatever order they came"),
        pytest.param((None, 1), "a", id="the one that has not started"),
        pytest.param((1, 1), "b", id="of two that started together, the one that came last"),
        pytest.param((None, None), "a", id="of two that have not started, the one that came first"),
    ],
)
def test_the_less_important_of_two_goes(started, victim):
    cluster = CachedCluster(a_node("n0", cpu="2"))
    for name, second in zip("ab", started, strict=True):
        cluster.place(running(a_pod(name), second and second * 10**9), "n0")
    assert victims_on(cluster, a_pod("important", priority=10)) == {"n0": [victim]}


def test_a_pod_that_is_going_already_counts_as_one_that_leaves_its_domain():
    """It is not counted in its domain, and yet taken off that count: so the domain seems to have room."""
    cluster = CachedCluster(a_node("n0", cpu="2", labels={"zone": "z0"}), a_node("n1", labels={"zone": "z1"}))
    going = a_pod("going", labels={"app": "a"})
    going.deleted = 30 * 10**9
    cluster.place(going, "n0")
    cluster.place(a_pod("stays", priority=20, labels={"app": "a"}), "n0")
    cluster.place(a_pod("another", cpu="4", priority=20), "n1")
    important = a_pod("important", priority=10, labels={"app": "a"}, topologySpreadConstraints=[SPREAD])
    assert victims_on(cluster, important) == {"n0": ["going"]}
