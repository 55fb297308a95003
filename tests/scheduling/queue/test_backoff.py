"""When a pod that failed is tried again, by kube-scheduler's rules for the queue.

A rejected pod waits for an event that may help, then for its back-off: 1 s, doubled with every rejection, at most 10 s.
An error has a back-off too, and no event ends it. Both end with the first tick of a second after they have passed.
"""

from __future__ import annotations

import pytest

from tests.support.clusters import ScheduledCluster
from tests.support.objects import a_pod, node_manifest, pod_manifest

BEFORE_POPPING = (1, 32)  # from 1.33 an idle scheduler takes rejected pods out of back-off at once


def a_full_cluster(**fields):
    """A node with 40 small pods on it, of which one ends every second from 0.5 s on; none makes room for 9 CPUs."""
    small = [pod_manifest(f"small-{i}", "n", cpu="50m", memory=None) for i in range(40)]
    cluster = ScheduledCluster(node_manifest("n"), *small, **fields)
    for i, pod in enumerate(small):
        name = pod["metadata"]["name"]
        cluster.clock.at(round((i + 0.5) * 1e9), lambda name=name: cluster.store.delete(cluster.pod(name)))
    return cluster


@pytest.mark.parametrize(
    ("seconds", "configuration", "tried"),
    [
        # the back-offs end at 1, 4, 9, 18, 29 s
        pytest.param(36, {}, [0, 2, 5, 10, 19, 30], id="1, 2, 4, 8, 10, 10 s"),
        # at 3, 9, 15 s
        pytest.param(
            16,
            {"podInitialBackoffSeconds": 3, "podMaxBackoffSeconds": 5},
            [0, 4, 10, 16],
            id="3, 5, 5 s as the profile says",
        ),
        pytest.param(
            8,
            {"podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1},
            [0, 2, 4, 6, 8],
            id="1 s each if it is also the maximum",
        ),
    ],
)
def test_a_rejected_pod_backs_off_longer_each_time(seconds, configuration, tried):
    cluster = a_full_cluster(version=BEFORE_POPPING, **configuration)
    cluster.create(a_pod("large", cpu="9"))
    cluster.run(seconds)
    assert cluster.tried("large") == tried


def test_an_event_after_the_backoff_leads_to_an_attempt_at_once():
    cluster = ScheduledCluster(node_manifest("n"), pod_manifest("small", "n"), version=BEFORE_POPPING)
    cluster.create(a_pod("large", cpu="9"))
    cluster.run(7.25)
    cluster.store.delete(cluster.pod("small"))
    cluster.run(10)
    assert cluster.tried("large") == [0, 7.25]


def test_from_1_33_an_idle_scheduler_does_not_wait_for_the_backoff_of_rejected_pods():
    cluster = a_full_cluster(version=(1, 33))
    cluster.create(a_pod("large", cpu="9"))
    cluster.run(5)
    assert cluster.tried("large") == [0, 0.5, 1.5, 2.5, 3.5, 4.5]


@pytest.mark.parametrize(
    ("created", "tried"),
    [
        # no nodes at all is an error: 1, 2, 4, 8, 10, 10 s, each until the tick after
        pytest.param(0, [0, 2, 5, 10, 19, 30, 41], id="on the second"),
        # 6.51 is truncated to 6, so the tick is at 7
        pytest.param(5.51, [5.51, 7, 10, 15, 24, 35], id="ends are truncated to whole seconds"),
    ],
)
def test_errors_back_off_even_if_the_scheduler_is_idle(created, tried):
    cluster = ScheduledCluster()
    cluster.run(created)
    cluster.create(a_pod("p"))
    cluster.run(41.5 - created)
    assert cluster.tried("p") == tried


def test_no_event_ends_the_backoff_after_an_error():
    cluster = ScheduledCluster()
    cluster.create(a_pod("p"))
    cluster.run(0.5)
    cluster.create(node_manifest("n"))
    cluster.run(1)
    assert cluster.pod("p").node_name == ""
    cluster.run(0.5)
    assert (cluster.tried("p"), cluster.pod("p").node_name) == ([0, 2], "n")


@pytest.mark.parametrize(
    ("created", "tried"),
    [
        # the flush comes every 30 s; at 300 s the pod has waited for 300 s, which is not yet more than 5 minutes
        pytest.param(0, [0, 330, 660], id="on the flush"),
        pytest.param(5, [5, 330, 660], id="after a flush"),
        pytest.param(29, [29, 330, 660], id="before a flush: 301 s are enough"),
        pytest.param(31, [31, 360, 690], id="after the next flush"),
    ],
)
def test_a_pod_without_helpful_events_is_tried_again_after_five_minutes(created, tried):
    cluster = ScheduledCluster(node_manifest("n"))
    cluster.run(created)
    cluster.create(a_pod("large", cpu="9"))
    cluster.run(700 - created)
    assert cluster.tried("large") == tried


@pytest.mark.parametrize(
    ("priorities", "order"),
    [
        pytest.param([0, 0, 0], [0, 1, 2], id="first come, first served"),
        pytest.param([0, 10, 0], [1, 0, 2], id="the highest priority first"),
        pytest.param([1, 2, 3], [2, 1, 0], id="priority before age"),
    ],
)
def test_pods_are_tried_by_priority_and_then_by_age(priorities, order):
    cluster = ScheduledCluster(node_manifest("n"))
    for number, priority in enumerate(priorities):
        cluster.create(a_pod(f"p{number}", priority=priority))
    cluster.run()
    assert [pod for _, pod in cluster.attempts] == [f"p{number}" for number in order]


def test_a_small_pod_overtakes_a_large_one_that_does_not_fit():
    cluster = ScheduledCluster(node_manifest("n"))
    cluster.create(a_pod("large", cpu="9", priority=10))
    cluster.create(a_pod("small"))
    cluster.run()
    assert cluster.nodes_of_pods() == {"small": "n"}


def test_a_gated_pod_is_not_tried_before_its_gates_are_gone():
    cluster = ScheduledCluster(node_manifest("n"))
    cluster.create(a_pod("gated", schedulingGates=[{"name": "wait"}]))
    cluster.run(1)
    assert cluster.tried("gated") == []
    free = cluster.pod("gated").copy()
    free.gates = ()
    cluster.store.update(free)
    cluster.run()
    assert cluster.tried("gated") == [1]
