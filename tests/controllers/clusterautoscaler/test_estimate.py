from __future__ import annotations

from random import Random

import pytest

from tests.controllers.clusterautoscaler.groups import a_template
from tests.support.objects import SPECS, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.scaleup.equivalence import group_pods
from wavetank.controllers.clusterautoscaler.scaleup.estimator import BinPackingEstimator, Estimate
from wavetank.kernel.clock import Clock
from wavetank.kernel.randomness import Streams
from wavetank.simulation.scaling.clustersnapshot import SchedulerSnapshot


def some_pods(owner: str, number: int, **fields: object) -> list[Pod]:
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    metadata = {"ownerReferences": [reference]}
    manifests = [pod_manifest(f"{owner}-{i}", metadata=metadata, **fields) for i in range(number)]  # type: ignore[arg-type]
    for manifest in manifests:
        manifest["metadata"]["uid"] = manifest["metadata"]["name"]
    return [Pod.parse(manifest, SPECS) for manifest in manifests]


def estimate(pods: list[Pod], most: int = 100) -> Estimate:
    snapshot = SchedulerSnapshot(ActorContext(Store(Clock()), Streams(0), (1, 35)), -10, Random(0))
    template = a_template(cpu="4", memory="8Gi")
    estimator = BinPackingEstimator(snapshot, lambda number: template.named(f"new-{number}"), most)
    found = estimator.estimate(group_pods(pods), template)
    assert not snapshot.node_names()  # the snapshot is as before
    return found


@pytest.mark.parametrize(
    ("pods", "nodes"),
    [
        pytest.param(some_pods("a", 9, cpu="1", memory="1Gi"), 3, id="four pods fit a node"),
        pytest.param(some_pods("a", 3, cpu="3") + some_pods("b", 3, cpu="1"), 3, id="small pods fill the gaps"),
        pytest.param(some_pods("a", 2, cpu="5"), 0, id="a pod that fits no node"),
        pytest.param(some_pods("a", 3, cpu="1", memory="5Gi"), 3, id="memory counts as well"),
    ],
)
def test_pods_are_packed_by_falling_size(pods: list[Pod], nodes: int) -> None:
    assert estimate(pods).nodes == nodes


def test_pods_beyond_the_limit_are_not_in_the_option() -> None:
    found = estimate(some_pods("a", 9), most=2)
    assert (found.nodes, len(found.pods), found.capped_at) == (2, 8, 2)


def test_required_anti_affinity_takes_a_node_for_each_pod() -> None:
    term = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    assert estimate(some_pods("a", 3, cpu="100m", labels={"app": "a"}, affinity=affinity)).nodes == 3


def test_bare_pods_are_groups_of_one_and_equal_pods_of_a_controller_one_group() -> None:
    bare = [Pod.parse(pod_manifest(f"bare-{i}"), SPECS) for i in range(2)]
    sizes = [len(group.pods) for group in group_pods([*bare, *some_pods("a", 3), *some_pods("b", 2)])]
    assert sizes == [1, 1, 3, 2]
