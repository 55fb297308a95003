"""A preemption in time: victims with their grace period, the nomination, and what others may do meanwhile."""

from __future__ import annotations

import pytest

from tests.support.clusters import ScheduledCluster
from tests.support.objects import a_pod, node_manifest


class FullCluster(ScheduledCluster):
    """A node of 4 CPUs with one unimportant pod on it that takes all of them."""

    def __init__(self, grace_s):
        super().__init__(node_manifest("n0"), a_pod("low", "n0", cpu="4", terminationGracePeriodSeconds=grace_s))

    def submit(self, name, priority=10, cpu="4"):
        self.create(a_pod(name, cpu=cpu, priority=priority))
        self.run()

    def end(self, name):
        """Removes a pod, as its kubelet does after the grace period."""
        self.store.delete(self.pod(name))
        self.run()

    def state(self, name):
        """Returns a pod's node and its nominated node."""
        pod = self.pod(name)
        return pod.node_name, pod.nominated_node


def test_a_victim_without_a_grace_period_makes_room_in_the_same_instant():
    cluster = FullCluster(grace_s=0)
    cluster.submit("high")
    assert cluster.nodes_of_pods() == {"high": "n0"}
    assert cluster.now == 0


def test_a_preemptor_waits_for_the_grace_period_of_its_victim():
    cluster = FullCluster(grace_s=30)
    cluster.submit("high")
    assert cluster.state("high") == ("", "n0")
    assert cluster.pod("low").deleted is not None
    cluster.run(29)
    assert cluster.state("high") == ("", "n0")
    cluster.end("low")
    assert cluster.state("high") == ("n0", "")


@pytest.mark.parametrize(
    ("priority", "bound"),
    [
        pytest.param(5, "high", id="not a less important pod"),
        pytest.param(10, "high", id="not an equally important pod"),
        pytest.param(20, "late", id="a more important pod"),
    ],
)
def test_room_made_by_a_preemption_goes_to_the_most_important_pod(priority, bound):
    cluster = FullCluster(grace_s=30)
    cluster.submit("high")
    cluster.submit("late", priority)
    cluster.end("low")
    assert cluster.nodes_of_pods() == {bound: "n0"}


def test_a_preemptor_takes_another_node_that_becomes_free_first():
    cluster = FullCluster(grace_s=30)
    cluster.submit("high")
    cluster.create(node_manifest("n1"))
    cluster.run()
    assert cluster.state("high") == ("n1", "")


def test_a_second_preemptor_evicts_no_more_than_is_needed():
    cluster = FullCluster(grace_s=30)
    cluster.submit("first", cpu="2")
    cluster.submit("second", cpu="2")
    assert (cluster.state("first"), cluster.state("second")) == (("", "n0"), ("", "n0"))
    cluster.end("low")
    assert cluster.nodes_of_pods() == {"first": "n0", "second": "n0"}


def test_a_preemptor_that_is_deleted_gives_its_room_to_others():
    cluster = FullCluster(grace_s=30)
    cluster.submit("high")
    cluster.submit("other", priority=0)
    cluster.end("high")
    cluster.end("low")
    assert cluster.nodes_of_pods() == {"other": "n0"}
