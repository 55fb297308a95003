from __future__ import annotations

from typing import Any

import pytest

from tests.nodes.clusters import KubeletCluster, a_run, latency
from wavetank.cluster.fields.imagenames import with_tag

# 100 bytes at 10 bytes per second unless a test says otherwise
SLOW = latency(bandwidth=10, image_bytes=100)


def containers(*images: str, policy: str | None = None) -> list[dict[str, Any]]:
    return [
        {"name": f"c{i}", "image": image, **({"imagePullPolicy": policy} if policy else {})}
        for i, image in enumerate(images)
    ]


def listed(**sizes: int) -> list[dict[str, Any]]:
    return [{"names": [f"{name}:1"], "sizeBytes": size} for name, size in sizes.items()]


@pytest.mark.parametrize(
    ("spec", "there", "starts"),
    [
        pytest.param({"containers": containers("x:1")}, {}, 10, id="an image of unknown size"),
        pytest.param({"containers": containers("x:1")}, {"x": 30}, 0, id="one that is there"),
        pytest.param({"containers": containers("x:1", "y:1")}, {}, 20, id="one after the other"),
        pytest.param({"containers": containers("x:1", "x:1")}, {}, 10, id="the same only once"),
        pytest.param({"containers": containers("x:1", "y:1")}, {"x": 30}, 10, id="only what is missing"),
        pytest.param(
            {"containers": containers("x:1"), "initContainers": containers("y:1")}, {}, 20, id="init containers too"
        ),
        pytest.param({"containers": containers("x:1", policy="Never")}, {}, 0, id="Never does not pull"),
        pytest.param({"containers": containers("x")}, {}, 10, id="no tag is latest"),
    ],
)
def test_a_pod_starts_when_its_images_are_there(spec: dict[str, Any], there: dict[str, int], starts: float) -> None:
    cluster = KubeletCluster(SLOW)
    cluster.add_node(images=listed(**there))
    cluster.started(**spec)
    cluster.run_to_end()
    assert cluster.starts() == [starts]


@pytest.mark.parametrize(
    ("image", "policy", "starts"),
    [
        pytest.param("x:1", None, 0, id="a tag: no question"),
        pytest.param("x", None, 3, id="latest: the registry is asked each time"),
        pytest.param("x:latest", None, 3, id="written out"),
        pytest.param("x:1", "Always", 3, id="Always"),
        pytest.param("x", "IfNotPresent", 0, id="IfNotPresent"),
        pytest.param("x", "Never", 0, id="Never"),
        pytest.param("x@sha256:0", None, 0, id="a digest is no tag"),
    ],
)
def test_the_policy_says_whether_the_registry_is_asked(image: str, policy: str | None, starts: float) -> None:
    cluster = KubeletCluster(latency(pull_check=3, bandwidth=10))
    cluster.add_node(images=[{"names": [image], "sizeBytes": 100}])
    cluster.started(containers=containers(image, policy=policy))
    cluster.run_to_end()
    assert cluster.starts() == [starts]


def test_a_pull_asks_the_registry_and_takes_its_bytes() -> None:
    cluster = KubeletCluster(latency(pull_check=3, bandwidth=10, image_bytes=100))
    cluster.add_node()
    cluster.started(containers=containers("x:1"))
    cluster.run_to_end()
    assert cluster.starts() == [13]


def test_sizes_are_known_from_any_node() -> None:
    cluster = KubeletCluster(SLOW)
    cluster.add_node("n")
    cluster.add_node("m", images=listed(x=30))
    cluster.started(containers=containers("x:1"))
    cluster.run_to_end()
    assert cluster.starts() == [3]


def test_each_node_has_a_cache_of_its_own() -> None:
    cluster = KubeletCluster(SLOW)
    cluster.add_node("n")
    cluster.add_node("m")
    cluster.started("a", node="n")
    cluster.at(20, lambda: cluster.started("b", node="n"))
    cluster.at(20, lambda: cluster.started("c", node="m"))
    cluster.run_to_end()
    assert [cluster.starts(name) for name in "abc"] == [[10], [20], [30]]


def test_pulls_of_a_node_come_one_after_the_other() -> None:
    cluster = KubeletCluster(SLOW)
    cluster.add_node("n")
    cluster.add_node("m")
    cluster.started("a", containers=containers("x:1"))
    cluster.started("b", containers=containers("y:1"))
    cluster.started("c", containers=containers("z:1"), node="m")
    cluster.run_to_end()
    assert [cluster.starts(name) for name in "abc"] == [[10], [20], [10]]


def test_an_image_that_is_on_its_way_is_waited_for() -> None:
    cluster = KubeletCluster(SLOW)
    cluster.add_node()
    cluster.started("a")
    cluster.at(4, lambda: cluster.started("b"))
    cluster.at(10, lambda: cluster.started("c"))
    cluster.run_to_end()
    assert [cluster.starts(name) for name in "abc"] == [[10], [10], [10]]


def test_a_pod_that_waits_for_an_image_asks_the_registry_in_its_turn() -> None:
    cluster = KubeletCluster(latency(pull_check=2, bandwidth=10, image_bytes=100))
    cluster.add_node()
    cluster.started("a")
    cluster.started("b")
    cluster.run_to_end()
    assert [cluster.starts(name) for name in "ab"] == [[12], [14]]


def test_without_a_bandwidth_pulls_take_no_time() -> None:
    cluster = KubeletCluster(latency(start=1))
    cluster.add_node()
    cluster.started(run=a_run(1))
    cluster.run_to_end()
    assert cluster.starts() == [1]


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("busybox", "busybox:latest"),
        ("busybox:1", "busybox:1"),
        ("host:5000/busybox", "host:5000/busybox:latest"),
        ("host:5000/busybox:1", "host:5000/busybox:1"),
        ("busybox@sha256:abc", "busybox@sha256:abc"),
    ],
)
def test_a_name_without_a_tag_means_latest(image: str, name: str) -> None:
    assert with_tag(image) == name
