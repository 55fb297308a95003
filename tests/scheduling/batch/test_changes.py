"""Batch queues on a cluster that changes: pods of other schedulers, nodes that go, pending pods that are deleted."""

from __future__ import annotations

import pytest

from tests.support.clusters import Cluster
from tests.support.objects import node_manifest, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.named import find_scheduler

QUEUES = ["fcfs", "easy", "conservative"]


@pytest.fixture(params=QUEUES)
def cluster(request):
    """A node of four CPUs with a batch queue attached."""
    made = Cluster(node_manifest("n"))
    find_scheduler(request.param, (1, 36)).attach(ActorContext(made.store, Streams(0), (1, 36)))
    return made


def submit(cluster, name, cpu="4", **fields):
    cluster.create(pod_manifest(name, cpu=cpu, **fields))
    cluster.run()


def end(cluster, name):
    cluster.store.delete(cluster.pod(name))
    cluster.run()


def test_a_pod_that_another_scheduler_has_bound_takes_its_room(cluster):
    submit(cluster, "other", schedulerName="other", node="n")
    submit(cluster, "mine")
    assert cluster.nodes_of_pods() == {"other": "n"}
    end(cluster, "other")
    assert cluster.nodes_of_pods() == {"mine": "n"}


def test_a_finished_pod_takes_no_room(cluster):
    submit(cluster, "done", node="n", status={"phase": "Succeeded"})
    submit(cluster, "mine")
    assert cluster.pod("mine").node_name == "n"


def test_a_pending_pod_that_is_bound_elsewhere_leaves_the_queue(cluster):
    submit(cluster, "first")
    submit(cluster, "second")
    cluster.create(node_manifest("m", unschedulable=True))
    cluster.store.bind(cluster.pod("second"), "m")
    submit(cluster, "third")
    end(cluster, "first")
    assert cluster.nodes_of_pods() == {"second": "m", "third": "n"}


def test_a_pending_pod_that_is_deleted_makes_room_for_the_next(cluster):
    for name in ("first", "second", "third"):
        submit(cluster, name)
    end(cluster, "second")
    end(cluster, "first")
    assert cluster.nodes_of_pods() == {"third": "n"}


def test_a_pod_that_can_never_run_may_be_deleted(cluster):
    submit(cluster, "huge", cpu="9")
    end(cluster, "huge")
    submit(cluster, "small")
    assert cluster.nodes_of_pods() == {"small": "n"}


def test_a_node_that_is_deleted_takes_no_more_pods(cluster):
    cluster.store.delete(cluster.store.get("Node", "", "n"))
    submit(cluster, "p")
    assert cluster.nodes_of_pods() == {}
    cluster.create(node_manifest("m"))
    cluster.run()
    assert cluster.nodes_of_pods() == {"p": "m"}


def test_a_gated_pod_joins_the_queue_when_its_gates_are_gone(cluster):
    submit(cluster, "gated", schedulingGates=[{"name": "wait"}])
    assert cluster.nodes_of_pods() == {}
    free = cluster.pod("gated").copy()
    free.gates = ()
    cluster.store.update(free)
    cluster.run()
    assert cluster.nodes_of_pods() == {"gated": "n"}


@pytest.mark.parametrize("queue", ["fcfs", "sjf", "easy", "conservative"])
def test_a_pod_that_names_its_node_goes_there(queue):
    cluster = Cluster(node_manifest("first"), node_manifest("second"))
    find_scheduler(queue, (1, 36)).attach(ActorContext(cluster.store, Streams(0), (1, 36)))
    field = {"key": "metadata.name", "operator": "In", "values": ["second"]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [field]}]}}
    submit(cluster, "daemon", cpu="1", affinity={"nodeAffinity": required})
    assert cluster.nodes_of_pods() == {"daemon": "second"}
