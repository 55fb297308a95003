from __future__ import annotations

from typing import Any

import pytest

from tests.workloads.inputs import a_manifest, cluster_of
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster

NODE = a_manifest("Node", "n", status={"allocatable": {"cpu": 1}})
POD = a_manifest("Pod", "p", spec={"nodeName": "n", "containers": [{"name": "c"}]})
PRIORITY = {**a_manifest("PriorityClass", "high", value=5), "apiVersion": "scheduling.k8s.io/v1"}


def nodes_of(*groups: dict[str, Any]) -> list[Node]:
    full = [{"cpu": 1, "memory": "4Gi", **group} for group in groups]
    nodes = cluster_of(full).resources(SpecTable())
    return [node for node in nodes if isinstance(node, Node)]


@pytest.mark.parametrize(
    ("groups", "names"),
    [
        pytest.param([{"count": 2}], ["node-0", "node-1"], id="numbered from 0"),
        pytest.param([{}], ["node-0"], id="one unless counted"),
        pytest.param([{"count": 2}, {}], ["node-0", "node-1", "node-2"], id="numbers go on over groups"),
        pytest.param([{"name": "a"}, {"name": "b"}, {"name": "a"}], ["a-0", "b-0", "a-1"], id="for each name"),
    ],
)
def test_groups_name_their_nodes(groups: list[dict[str, Any]], names: list[str]) -> None:
    nodes = nodes_of(*groups)
    assert [node.name for node in nodes] == names
    assert [node.labels["kubernetes.io/hostname"] for node in nodes] == names


def test_a_group_says_what_its_nodes_have() -> None:
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    group = {"cpu": "1500m", "pods": 5, "resources": {"nvidia.com/gpu": 8}, "labels": {"a": "b"}, "taints": [taint]}
    (node,) = nodes_of(group)
    assert dict(node.allocatable) == {"cpu": 1500, "memory": 4 << 30, "pods": 5, "nvidia.com/gpu": 8}
    assert (node.labels["a"], node.taints[0].key, node.ready) == ("b", "gpu", True)


@pytest.mark.parametrize(
    ("zone", "zones"),
    [
        pytest.param("z1", ["z1", "z1", "z1"], id="one zone for all"),
        pytest.param(["z1", "z2"], ["z1", "z2", "z1"], id="several in turn"),
        pytest.param(None, [None, None, None], id="none"),
    ],
)
def test_zones_are_dealt_in_turn(zone: object, zones: list[str | None]) -> None:
    nodes = nodes_of({"count": 3, "zone": zone})
    assert [node.labels.get("topology.kubernetes.io/zone") for node in nodes] == zones


@pytest.mark.parametrize(
    ("group", "message"),
    [
        pytest.param({"count": 0}, "nodes[0].count: expected a whole number, 1 to 1000000, got 0", id="none"),
        pytest.param({"cuont": 1}, "nodes[0]: unknown field 'cuont' (did you mean count?)", id="a typo"),
        pytest.param({"cpu": "x"}, "nodes[0].cpu: 'x' is not a quantity", id="no quantity"),
        pytest.param({"resources": {"gpu": 1}}, "nodes[0].resources: unknown resource 'gpu'", id="no such resource"),
        pytest.param({"name": "A"}, "nodes[0].name: 'A-0' is not a node name", id="a bad name"),
        pytest.param({"labels": {"a": 1}}, "nodes[0].labels.a: 1 is not a string", id="a label that is no text"),
        pytest.param({"taints": [{"key": "a"}]}, "nodes[0].taints[0].effect", id="a taint without effect"),
        pytest.param({"zone": []}, "nodes[0].zone: expected a list with at least one", id="no zone"),
    ],
)
def test_a_bad_group_is_refused(group: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        nodes_of(group)
    assert message in str(caught.value)


def test_a_group_needs_its_size() -> None:
    with pytest.raises(InputError, match=r"nodes\[0\].memory: this field is required \(quantity\)"):
        cluster_of([{"cpu": 1}])


def test_nodes_come_first_and_pods_last() -> None:
    cluster = Cluster([POD, PRIORITY, NODE], ("a.yaml", "b.yaml"))
    assert [resource.manifest_kind for resource in cluster.resources(SpecTable())] == ["Node", "PriorityClass", "Pod"]
    assert cluster.description == "1 node and 2 other objects from a.yaml, b.yaml"


def test_every_run_gets_objects_of_its_own() -> None:
    cluster = Cluster([NODE])
    assert cluster.resources(SpecTable())[0] is not cluster.resources(SpecTable())[0]


@pytest.mark.parametrize(
    ("manifests", "message"),
    [
        pytest.param([NODE, NODE], 'c.yaml: a second Node "n"', id="two nodes of one name"),
        pytest.param([NODE, POD, POD], 'a second Pod "default/p"', id="two pods of one name"),
        pytest.param([PRIORITY], "a cluster needs at least one Node", id="no node"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused(manifests: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Cluster(manifests, ("c.yaml",))
    assert message in str(caught.value)


@pytest.mark.parametrize("phase", ["Running", "Succeeded"])
def test_a_pod_may_be_bound_to_a_node_that_is_not_there(phase: str) -> None:
    gone = {**POD, "spec": {**POD["spec"], "nodeName": "gone"}, "status": {"phase": phase}}
    assert len(Cluster([NODE, gone]).resources(SpecTable())) == 2
