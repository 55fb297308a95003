"""Fewer, more, smaller and larger nodes."""

from collections import Counter

import pytest

from tests.workloads.inputs import cluster_of
from wavetank.sweeps.clusters import with_larger_nodes, with_more_nodes

K8SSIM = [
    {"count": 2, "name": "small", "cpu": 2, "memory": "4Gi"},
    {"count": 4, "name": "medium", "cpu": 4, "memory": "8Gi"},
    {"count": 2, "name": "large", "cpu": 8, "memory": "16Gi"},
]


def cluster():
    return cluster_of(K8SSIM)


@pytest.mark.parametrize(
    ("factor", "small", "medium", "large"),
    [(0.5, 1, 2, 1), (0.75, 2, 3, 1), (1, 2, 4, 2), (1.25, 3, 5, 2), (1.5, 3, 6, 3), (0.01, 0, 1, 0), (3, 6, 12, 6)],
)
def test_every_size_in_proportion(factor, small, medium, large):
    names = [node["metadata"]["name"] for node in with_more_nodes(cluster(), factor).manifests]
    assert len(names) == len(set(names))
    assert Counter(name.partition("-")[0] for name in names) == +Counter(small=small, medium=medium, large=large)


def test_copies_have_their_own_host_name():
    names = {node["metadata"]["name"]: node for node in with_more_nodes(cluster(), 2).manifests}
    assert names["small-0-copy1"]["metadata"]["labels"]["kubernetes.io/hostname"] == "small-0-copy1"


def test_larger_nodes_have_more_of_everything_but_pods():
    allocatable = with_larger_nodes(cluster(), 1.5).manifests[0]["status"]["allocatable"]
    assert allocatable == {"cpu": "3", "memory": "6Gi", "pods": "110"}
