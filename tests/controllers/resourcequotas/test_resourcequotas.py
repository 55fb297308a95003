from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.worlds import World, a_pod
from wavetank.cluster.store.errors import ApiError

QUOTA = "ResourceQuota"


def a_quota(world: World, hard: dict[str, str], **spec: Any) -> None:
    metadata = {"name": "q", "namespace": "default"}
    world.create({"apiVersion": "v1", "kind": QUOTA, "metadata": metadata, "spec": {"hard": hard, **spec}})


def used(world: World) -> dict[str, str]:
    found: dict[str, str] = world.status(QUOTA, "q")["used"]
    return found


def asking(name: str, **requests: str) -> dict[str, Any]:
    pod = a_pod(name)
    pod["spec"]["containers"][0]["resources"] = {"requests": requests}
    return pod


def test_a_new_quota_counts_what_is_there() -> None:
    world = World("resourcequota")
    world.create(asking("one", cpu="500m", memory="1Gi"))
    a_quota(world, {"pods": "3", "requests.cpu": "2", "requests.memory": "4Gi", "count/configmaps": "9"})
    assert world.status(QUOTA, "q")["hard"] == {
        "count/configmaps": "9",
        "pods": "3",
        "requests.cpu": "2",
        "requests.memory": "4Gi",
    }
    expected = {"count/configmaps": "0", "pods": "1", "requests.cpu": "500m", "requests.memory": "1Gi"}
    assert used(world) == expected


def test_what_goes_or_ends_is_given_back() -> None:
    world = World("resourcequota")
    a_quota(world, {"pods": "2", "count/pods": "5"})
    world.create(a_pod("one"))
    world.create(a_pod("two"))
    assert used(world) == {"count/pods": "2", "pods": "2"}
    with pytest.raises(ApiError, match="exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"):
        world.create(a_pod("three"))
    world.end(world.get("Pod", "one"), "Succeeded")
    assert used(world) == {"count/pods": "2", "pods": "1"}
    world.create(a_pod("three"))
    world.store.delete(world.get("Pod", "one"))
    world.settle()
    assert used(world) == {"count/pods": "2", "pods": "2"}


def test_a_quota_that_is_changed_is_counted_anew() -> None:
    world = World("resourcequota")
    a_quota(world, {"pods": "2"})
    world.create(asking("one", cpu="1"))
    world.change(QUOTA, "q", hard={"requests.cpu": "4"})
    assert world.status(QUOTA, "q") == {"hard": {"requests.cpu": "4"}, "used": {"requests.cpu": "1"}}


def test_a_quota_of_a_scope_counts_only_that() -> None:
    world = World("resourcequota")
    a_quota(world, {"pods": "5"}, scopes=["BestEffort"])
    world.create(a_pod("one"))
    world.create(asking("two", cpu="1"))
    world.store.delete(world.get("Pod", "two"))
    world.settle()
    assert used(world) == {"pods": "1"}
