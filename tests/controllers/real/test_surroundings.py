"""Services, budgets, quotas, owners, namespaces and tainted nodes come to the same with the real controllers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from tests.controllers.real.clusters import Cluster, built_in, managed
from tests.controllers.real.objects import LISTS, objects_of

CONTROLLERS = (
    "deployment-controller",
    "replicaset-controller",
    "replicationcontroller-controller",
    "job-controller",
    "garbage-collector-controller",
    "namespace-controller",
    "disruption-controller",
    "resourcequota-controller",
    "endpointslice-controller",
    "endpoints-controller",
    "taint-eviction-controller",
    "pod-garbage-collector-controller",
    "serviceaccount-controller",
    "ttl-after-finished-controller",
)
MORE = {
    "poddisruptionbudgets": "/apis/policy/v1/poddisruptionbudgets",
    "endpointslices": "/apis/discovery.k8s.io/v1/endpointslices",
    "endpoints": "/api/v1/endpoints",
    "resourcequotas": "/api/v1/resourcequotas",
    "namespaces": "/api/v1/namespaces",
    "serviceaccounts": "/api/v1/serviceaccounts",
    "configmaps": "/api/v1/configmaps",
    "nodes": "/api/v1/nodes",
}
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
CORE = "/api/v1/namespaces/default"
_GENERATION = re.compile(r'"generation": \d+')  # of a slice: how often it was written on the way

Script = Callable[[Cluster], Iterator[float]]


def a_deployment(name: str, replicas: int) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "ports": [{"name": "http", "containerPort": 8080}]}
    container["resources"] = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    pod = {"terminationGracePeriodSeconds": 5, "containers": [container]}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def a_service(cluster: Cluster) -> Iterator[float]:
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}
    metadata = {"name": "web", "labels": {"x": "y"}}
    cluster.ask("POST", f"{CORE}/services", {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
    yield 1
    cluster.ask("POST", DEPLOYMENTS, a_deployment("web", 1))
    yield 5
    cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 3}})
    yield 5
    cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 1}})  # the oldest stays; of equal ones any could
    yield 10
    cluster.merge(f"{CORE}/services/web", {"metadata": {"labels": {"x": "z"}}})
    yield 2
    cluster.ask("DELETE", f"{CORE}/services/web")
    yield 5


def a_budget(cluster: Cluster) -> Iterator[float]:
    cluster.ask("POST", DEPLOYMENTS, a_deployment("web", 3))
    yield 3
    spec = {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 2}
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}}
    cluster.ask("POST", BUDGETS, {**head, "spec": spec})
    yield 2
    cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 5}})
    yield 5
    cluster.merge(f"{BUDGETS}/web", {"spec": {"minAvailable": None, "maxUnavailable": "30%"}})
    yield 2
    cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 0}})
    yield 20


def a_quota(cluster: Cluster) -> Iterator[float]:
    cluster.ask("POST", DEPLOYMENTS, a_deployment("web", 2))
    yield 2
    hard = {
        "pods": "3",
        "requests.cpu": "1",
        "requests.memory": "1Gi",
        "count/deployments.apps": "2",
        "configmaps": "9",
    }
    head = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}}
    cluster.ask("POST", f"{CORE}/resourcequotas", {**head, "spec": {"hard": hard}})
    yield 2
    cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 5}})
    yield 5
    cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 1}})
    yield 20


def a_replication_controller(cluster: Cluster) -> Iterator[float]:
    """An orphan is adopted, a quota refuses a pod, a pod that no longer matches is released and replaced."""
    head = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}}
    cluster.ask("POST", f"{CORE}/resourcequotas", {**head, "spec": {"hard": {"pods": "3"}}})
    yield 3
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    orphan = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "orphan", "labels": {"app": "web"}}}
    cluster.ask("POST", f"{CORE}/pods", {**orphan, "spec": template["spec"]})
    yield 3
    path = f"{CORE}/replicationcontrollers"
    document = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web"}}
    cluster.ask("POST", path, {**document, "spec": {"replicas": 4, "template": template}})
    yield 5
    cluster.merge(f"{path}/web", {"spec": {"replicas": 2}})
    yield 40
    cluster.merge(f"{CORE}/pods/orphan", {"metadata": {"labels": {"app": "other"}}})
    yield 40


def owners(cluster: Cluster) -> Iterator[float]:
    for policy in ("Foreground", "Orphan", "Background"):
        name = policy.lower()
        cluster.ask("POST", DEPLOYMENTS, a_deployment(name, 2))
        yield 3
        cluster.ask("DELETE", f"{DEPLOYMENTS}/{name}?propagationPolicy={policy}")
        yield 1
        yield 15


def a_namespace(cluster: Cluster) -> Iterator[float]:
    cluster.ask("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
    yield 1
    cluster.ask("POST", "/apis/apps/v1/namespaces/ns/deployments", a_deployment("web", 2))
    held = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "finalizers": ["example.com/hold"]}}
    cluster.ask("POST", "/api/v1/namespaces/ns/configmaps", held)
    yield 3
    cluster.ask("DELETE", "/api/v1/namespaces/ns")
    yield 1
    yield 6
    yield 20
    cluster.merge("/api/v1/namespaces/ns/configmaps/m", {"metadata": {"finalizers": None}})
    yield 30


def a_taint(cluster: Cluster) -> Iterator[float]:
    replica_set = {**a_deployment("web", 3), "kind": "ReplicaSet"}
    cluster.ask("POST", "/apis/apps/v1/namespaces/default/replicasets", replica_set)
    yield 3
    cluster.merge("/api/v1/nodes/n2", {"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}})
    yield 10
    cluster.merge("/api/v1/nodes/n2", {"spec": {"taints": None}})
    yield 10


def a_job_that_goes(cluster: Cluster) -> Iterator[float]:
    template = {"metadata": {"annotations": {"wavetank.dev/duration": "3s"}}}
    template["spec"] = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    spec = {"ttlSecondsAfterFinished": 10, "completions": 2, "template": template}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec}
    cluster.ask("POST", "/apis/batch/v1/namespaces/default/jobs", job)
    yield 12
    yield 20


def states(world: AbstractContextManager[Cluster], script: Script) -> list[dict[str, list[str]]]:
    """Plays a script and returns what there is after each of its waits."""
    found = []
    with world as cluster:
        cluster.run_for(1)
        for seconds in script(cluster):
            cluster.run_for(seconds)
            objects = objects_of(cluster, {**LISTS, **MORE})
            objects["endpointslices"] = [_GENERATION.sub("", each) for each in objects["endpointslices"]]
            found.append(objects)
    return found


SCRIPTS = [a_service, a_budget, a_quota, a_replication_controller, owners, a_namespace, a_taint, a_job_that_goes]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_comes_to_the_same_at_every_step(script: Script) -> None:
    wanted = states(managed(CONTROLLERS), script)
    assert states(built_in(CONTROLLERS), script) == wanted
