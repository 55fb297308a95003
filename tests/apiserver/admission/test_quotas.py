"""What a quota counts, when, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.admission.asking import Document, ask, asking, pod, quota, refused
from wavetank.cluster.store.store import Store


def used(store: Store) -> Document:
    found: Document = store.get("ResourceQuota", "ns", "q").manifest["status"]["used"]
    return found


def service(kind: str, ports: int, **more: Any) -> Document:
    return {"spec": {"type": kind, "ports": [{"port": 80 + number} for number in range(ports)], **more}}


@pytest.mark.parametrize(
    ("hard", "kind", "document", "counted"),
    [
        pytest.param("count/configmaps", "ConfigMap", {}, "1", id="any kind, by its number"),
        pytest.param("count/deployments.apps", "Deployment", {"spec": {}}, "1", id="of a group"),
        pytest.param("services.nodeports", "Service", service("NodePort", 2), "2", id="ports of nodes"),
        pytest.param("services.nodeports", "Service", service("LoadBalancer", 3), "3", id="of balancers too"),
        pytest.param(
            "services.nodeports",
            "Service",
            service("LoadBalancer", 3, allocateLoadBalancerNodePorts=False),
            "0",
            id="unless they want none",
        ),
        pytest.param("services.loadbalancers", "Service", service("LoadBalancer", 1), "1", id="balancers"),
        pytest.param("requests.nvidia.com/gpu", "Pod", asking(**{"nvidia.com/gpu": "2"}), "2", id="extended resources"),
        pytest.param("requests.memory", "Pod", asking(memory="1Gi"), "1Gi", id="written as it was asked for"),
        pytest.param("requests.memory", "Pod", asking(memory="1G"), "1G", id="in powers of a thousand as well"),
        pytest.param(
            "gold.storageclass.storage.k8s.io/requests.storage",
            "PersistentVolumeClaim",
            {"spec": {"storageClassName": "gold", "resources": {"requests": {"storage": "5Gi"}}}},
            "5Gi",
            id="storage of a class",
        ),
    ],
)
def test_a_quota_counts_what_it_names(store: Store, hard: str, kind: str, document: Document, counted: str) -> None:
    quota(store, {hard: "100Gi"}, {hard: "0"})
    ask(store, kind, document, "ResourceQuota")
    assert used(store) == {hard: counted}


def test_nothing_is_let_in_before_the_use_is_known(store: Store) -> None:
    quota(store, {"pods": "2", "count/pods": "2"}, {"pods": "0"})
    why = "status unknown for quota: q, resources: count/pods,pods"
    assert refused(store, "Pod", pod(), "ResourceQuota") == f'pods "x" is forbidden: {why}'
    ask(store, "ConfigMap", {}, "ResourceQuota")  # what the quota does not name does not wait


def test_an_update_is_charged_only_for_what_is_more(store: Store) -> None:
    quota(store, {"services.nodeports": "3"}, {"services.nodeports": "2"})
    ask(store, "Service", service("NodePort", 1), "ResourceQuota", operation="UPDATE", old=service("NodePort", 2))
    assert used(store) == {"services.nodeports": "2"}  # a controller counts what has become free
    ask(store, "Service", service("NodePort", 3), "ResourceQuota", operation="UPDATE", old=service("NodePort", 2))
    assert used(store) == {"services.nodeports": "3"}


def test_a_pod_that_changes_its_scope_is_charged_as_a_whole(store: Store) -> None:
    quota(store, {"pods": "1"}, {"pods": "0"}, scopes=["Terminating"])
    ask(store, "Pod", pod(activeDeadlineSeconds=5), "ResourceQuota", operation="UPDATE", old=pod())
    assert used(store) == {"pods": "1"}


@pytest.mark.parametrize(
    ("selector", "spec", "counted"),
    [
        ({"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}, {"priorityClassName": "high"}, True),
        ({"scopeName": "PriorityClass", "operator": "NotIn", "values": ["high"]}, {}, True),
        ({"scopeName": "PriorityClass", "operator": "Exists"}, {}, False),
        ({"scopeName": "PriorityClass", "operator": "DoesNotExist"}, {}, True),
        ({"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"}, {}, False),
        (
            {"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"},
            {
                "affinity": {
                    "podAntiAffinity": {
                        "preferredDuringSchedulingIgnoredDuringExecution": [
                            {"weight": 1, "podAffinityTerm": {"topologyKey": "t", "namespaces": ["other"]}}
                        ]
                    }
                }
            },
            True,
        ),
    ],
)
def test_a_scope_can_be_selected(store: Store, selector: Document, spec: Document, counted: bool) -> None:
    quota(store, {"pods": "2"}, {"pods": "0"}, scopeSelector={"matchExpressions": [selector]})
    ask(store, "Pod", pod(**spec), "ResourceQuota")
    assert used(store) == {"pods": "1" if counted else "0"}


def test_a_quota_with_scopes_counts_nothing_but_pods(store: Store) -> None:
    quota(store, {"count/configmaps": "0"}, {"count/configmaps": "0"}, scopes=["BestEffort"])
    ask(store, "ConfigMap", {}, "ResourceQuota")
    assert used(store) == {"count/configmaps": "0"}


def test_devices_are_counted_by_class_at_their_worst(store: Store) -> None:
    name = "gpu.deviceclass.resource.k8s.io/devices"
    quota(store, {name: "40"}, {name: "0"})
    exact = {"exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 3}}
    either = [{"deviceClassName": "gpu", "allocationMode": mode, "count": 2} for mode in ("ExactCount", "All")]
    requests = [{"name": "a", **exact}, {"name": "b", "firstAvailable": either}]
    ask(store, "ResourceClaim", {"spec": {"devices": {"requests": requests}}}, "ResourceQuota")
    assert used(store) == {name: "35"}
