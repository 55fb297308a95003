"""Snapshots of clusters, as kubectl writes them, and nodes that are counted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.paths import shared_data
from tests.workloads.inputs import a_file, a_manifest
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.manifests import read_cluster_manifests
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.nodes import COUNT, HOSTNAME
from wavetank.workloads.open import open_cluster

NODE = a_manifest("Node", "n", status={"allocatable": {"cpu": "4", "pods": "10"}})
SPEC = {"containers": [{"name": "c"}]}


def a_snapshot(*items: dict[str, Any]) -> InputFile:
    return a_file({"apiVersion": "v1", "kind": "List", "items": list(items)})


def pods_of(manifests: list[Any]) -> dict[str, Pod]:
    resources = Cluster(manifests).resources(SpecTable())
    return {resource.name: resource for resource in resources if isinstance(resource, Pod)}


def test_pods_stay_where_they_are_bound_and_others_wait() -> None:
    bound = a_manifest(name="bound", spec={**SPEC, "nodeName": "n"}, status={"phase": "Running"})
    pods = pods_of(read_cluster_manifests(a_snapshot(NODE, bound, a_manifest(name="waiting", spec=SPEC))))
    assert (pods["bound"].node_name, pods["bound"].phase) == ("n", "Running")
    assert (pods["waiting"].node_name, pods["waiting"].phase) == ("", "Pending")


def test_pods_that_have_ended_hold_nothing() -> None:
    ended = a_manifest(name="ended", spec={**SPEC, "nodeName": "n"}, status={"phase": "Succeeded"})
    assert pods_of(read_cluster_manifests(a_snapshot(NODE, ended)))["ended"].finished


def test_a_faulty_object_is_named_and_a_lenient_reading_goes_on() -> None:
    file = a_snapshot(NODE, a_manifest(name="p"))
    with pytest.raises(InputError, match=r"in\.yaml: items\[1\].spec: a Pod needs a spec"):
        read_cluster_manifests(file)
    file.lenient = True
    assert len(read_cluster_manifests(file)) == file.skipped.total() == 1


def test_a_counted_node_stands_for_as_many() -> None:
    counted = a_manifest("Node", "pool", status=NODE["status"])
    counted["metadata"] |= {"annotations": {COUNT: "3", "a": "b"}, "labels": {HOSTNAME: "pool"}}
    nodes = [Node(manifest) for manifest in read_cluster_manifests(a_file(counted))]
    assert [node.name for node in nodes] == ["pool-0", "pool-1", "pool-2"]
    assert [node.labels[HOSTNAME] for node in nodes] == ["pool-0", "pool-1", "pool-2"]
    assert nodes[0].annotations == {"a": "b"}


@pytest.mark.parametrize("count", ["0", "many", "-1", "99999999999"])
def test_a_count_that_is_none_is_named(count: str) -> None:
    counted = {**NODE, "metadata": {"name": "pool", "annotations": {COUNT: count}}}
    with pytest.raises(InputError, match=r"metadata\.annotations\.wavetank\.dev/count: expected a whole number"):
        read_cluster_manifests(a_file(counted))


def test_a_real_snapshot_of_several_files() -> None:
    folder = shared_data("gke-dump/dataset_small_1")
    names = ("nodes", "pods", "priorityclass", "service")
    cluster = open_cluster([folder / f"{name}.yaml" for name in names])
    text = "".join((folder / f"{name}.yaml").read_text() for name in names)
    resources = cluster.resources(SpecTable())
    assert len(resources) == text.count("\n- apiVersion:")
    pods = [resource for resource in resources if isinstance(resource, Pod)]
    assert len(pods) == text.count("\n    nodeName:")
    assert all(pod.node_name and pod.phase == "Running" for pod in pods)


@pytest.mark.parametrize("size", [100, 200, 400, 700])
def test_real_kwok_nodes_add_up(size: int) -> None:
    manifests = read_cluster_manifests(InputFile.read(shared_data(f"k8s-sims/nodes-{size}.yaml")))
    assert len(manifests) == size
