"""Attempts beside the event loop of a server, while there are very large pods or nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from tests.support.clusters import Cluster
from tests.support.objects import a_node, a_pod, node_manifest, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.framework.heavywork import HeavyWork

T = TypeVar("T")

VERSION = (1, 35)
MANY = 600
CLAIM = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "c", "namespace": "default"},
    "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "d"}}]}},
}


class ServedCluster(Cluster):
    """A cluster whose scheduler works beside a server: `meanwhile` are requests that come while it does."""

    def __init__(self) -> None:
        super().__init__()
        self.beside = 0
        self.meanwhile: list[Callable[[], Any]] = []
        context = ActorContext(self.store, Streams(1), VERSION)
        definition = SchedulerDefinition("default", "", default_configuration(VERSION))
        definition.attach(context, SchedulerOptions(ties="exact", beside=self.run_beside))

    def run_beside(self, function: Callable[[], T], /) -> T:
        self.beside += 1
        meanwhile, self.meanwhile = self.meanwhile, []
        for request in meanwhile:
            request()
        return function()


def anti_terms(number: int) -> dict[str, Any]:
    terms = [
        {"labelSelector": {"matchLabels": {"app": f"a{i}"}}, "topologyKey": "kubernetes.io/hostname"}
        for i in range(number)
    ]
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


@pytest.mark.parametrize(
    ("fields", "is_large"),
    [
        pytest.param({}, False, id="a small pod"),
        pytest.param({"labels": {f"k{i}": "v" for i in range(MANY)}}, True, id="many labels"),
        pytest.param({"affinity": anti_terms(MANY)}, True, id="many affinity terms"),
        pytest.param({"affinity": anti_terms(9)}, False, id="few affinity terms"),
        pytest.param({"tolerations": [{"key": f"k{i}"} for i in range(MANY)]}, True, id="many tolerations"),
        pytest.param({"nodeSelector": {f"k{i}": "v" for i in range(MANY)}}, True, id="many node selectors"),
        pytest.param({"resourceClaims": [{"name": "a", "resourceClaimName": "c"}]}, True, id="a claim on devices"),
    ],
)
def test_only_large_pods_are_scheduled_beside_the_loop(fields: dict[str, Any], is_large: bool) -> None:
    cluster = ServedCluster()
    cluster.create(a_node("n"))
    cluster.create(CLAIM)
    cluster.create(pod_manifest("p", **fields))
    cluster.run()
    assert (cluster.beside > 0) is is_large


def test_a_small_pod_is_scheduled_beside_the_loop_as_long_as_there_is_a_large_node() -> None:
    cluster = ServedCluster()
    large = cluster.create(node_manifest("n", labels={f"k{i}": "v" for i in range(MANY)}))
    cluster.create(a_node("small"))
    cluster.run()
    seen = cluster.beside
    cluster.create(a_pod("p"))
    cluster.run()
    assert cluster.beside > seen
    cluster.store.delete(cluster.store.get("Node", "", large.name))
    cluster.run()
    seen = cluster.beside
    cluster.create(a_pod("q"))
    cluster.run()
    assert cluster.beside == seen


def test_a_pod_that_comes_while_a_large_one_is_tried_is_scheduled() -> None:
    cluster = ServedCluster()
    cluster.create(a_node("n"))
    cluster.create(pod_manifest("large", affinity=anti_terms(MANY)))
    cluster.meanwhile.append(lambda: cluster.create(a_pod("late")))
    cluster.run()
    assert cluster.nodes_of_pods() == {"large": "n", "late": "n"}


def test_a_service_that_comes_while_a_large_pod_is_tried_counts_afterwards() -> None:
    """What selects a pod's siblings must not change in the middle of an attempt."""
    cluster = ServedCluster()
    for name in ("n", "m"):
        cluster.create(a_node(name))
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s", "namespace": "default"},
        "spec": {"selector": {"app": "a"}},
    }
    cluster.create(pod_manifest("large", labels={"app": "a"}, affinity=anti_terms(MANY)))
    cluster.meanwhile.append(lambda: cluster.create(service))
    cluster.run()
    cluster.create(a_pod("second", labels={"app": "a"}))
    cluster.run()
    assert sorted(cluster.nodes_of_pods().values()) == ["m", "n"]


def test_a_change_that_comes_after_heavy_work_inside_other_heavy_work_waits_for_the_outer_one() -> None:
    done = list[str]()
    heavy = HeavyWork(lambda function: function())
    heavy.note(a_pod("large", labels={f"k{i}": "v" for i in range(MANY)}))
    inner = heavy.wrap(lambda: done.append("inner"))

    def outer() -> None:
        assert heavy.postpone(lambda: done.append("first change"))
        inner()
        assert heavy.postpone(lambda: done.append("second change"))
        done.append("outer")

    heavy.wrap(outer)()
    assert done == ["inner", "outer", "first change", "second change"]
    assert not heavy.postpone(lambda: None)
