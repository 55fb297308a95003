from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import pod_manifest
from wavetank.cluster.store.errors import ApiError

QUOTA = "ResourceQuota"


def a_quota(cluster: ControllerCluster, hard: dict[str, str], **spec: Any) -> None:
    metadata = {"name": "q", "namespace": "default"}
    cluster.create({"apiVersion": "v1", "kind": QUOTA, "metadata": metadata, "spec": {"hard": hard, **spec}})


def used(cluster: ControllerCluster) -> dict[str, str]:
    found: dict[str, str] = cluster.status(QUOTA, "q")["used"]
    return found


def test_a_new_quota_counts_what_is_there() -> None:
    cluster = ControllerCluster("resourcequota")
    cluster.create(pod_manifest("one", requests={"cpu": "500m", "memory": "1Gi"}))
    a_quota(cluster, {"pods": "3", "requests.cpu": "2", "requests.memory": "4Gi", "count/configmaps": "9"})
    assert cluster.status(QUOTA, "q")["hard"] == {
        "count/configmaps": "9",
        "pods": "3",
        "requests.cpu": "2",
        "requests.memory": "4Gi",
    }
    expected = {"count/configmaps": "0", "pods": "1", "requests.cpu": "500m", "requests.memory": "1Gi"}
    assert used(cluster) == expected


def test_what_goes_or_ends_is_given_back() -> None:
    cluster = ControllerCluster("resourcequota")
    a_quota(cluster, {"pods": "2", "count/pods": "5"})
    cluster.create(pod_manifest("one"))
    cluster.create(pod_manifest("two"))
    assert used(cluster) == {"count/pods": "2", "pods": "2"}
    with pytest.raises(ApiError, match="exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"):
        cluster.create(pod_manifest("three"))
    cluster.end(cluster.get("Pod", "one"), "Succeeded")
    assert used(cluster) == {"count/pods": "2", "pods": "1"}
    cluster.create(pod_manifest("three"))
    cluster.store.delete(cluster.get("Pod", "one"))
    cluster.run()
    assert used(cluster) == {"count/pods": "2", "pods": "2"}


def test_a_quota_that_is_changed_is_counted_anew() -> None:
    cluster = ControllerCluster("resourcequota")
    a_quota(cluster, {"pods": "2"})
    cluster.create(pod_manifest("one", requests={"cpu": "1"}))
    cluster.change(QUOTA, "q", hard={"requests.cpu": "4"})
    assert cluster.status(QUOTA, "q") == {"hard": {"requests.cpu": "4"}, "used": {"requests.cpu": "1"}}


def test_a_quota_of_a_scope_counts_only_that() -> None:
    cluster = ControllerCluster("resourcequota")
    a_quota(cluster, {"pods": "5"}, scopes=["BestEffort"])
    cluster.create(pod_manifest("one", requests={}))
    cluster.create(pod_manifest("two", requests={"cpu": "1"}))
    cluster.store.delete(cluster.get("Pod", "two"))
    cluster.run()
    assert used(cluster) == {"pods": "1"}
