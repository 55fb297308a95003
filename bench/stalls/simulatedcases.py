"""Heavy objects that are small enough for etcd: what the simulation does with them once they are stored.

The numbers of items are a little below those that make a body of 3 MB, or 1.5 MiB of protobuf with managed fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from objectcases import (
    DEFAULT,
    PODS,
    SERVICES,
    Step,
    container,
    dump,
    in_affinity,
    in_container,
    meta,
    owner,
    pod,
    pod_term,
    post,
    spread,
)

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default"
BATCH = "/apis/batch/v1/namespaces/default"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
Make = Callable[[int], Any]
Wrap = Callable[[Any], Any]


def stored(name: str, path: str, number: int, make: Make, wrap: Wrap) -> None:
    """Adds a case that stores an object with so many items."""
    then = partial(life, f"{path}/heavy")
    post(f"stored {name}", path, lambda: dump(wrap([make(i) for i in range(number)])), stored=True, then=then)


def life(path: str) -> Iterator[Step]:
    """What is asked of a stored object later on: it is read, changed and deleted."""
    yield Step("GET", path)
    yield Step("PATCH", path, dump({"metadata": {"annotations": {"a": "b"}}}), "application/merge-patch+json")
    yield Step("DELETE", f"{path}?gracePeriodSeconds=0")


def stored_pod(name: str, number: int, make: Make, wrap: Wrap) -> None:
    stored(f"pod: {number:,} {name}", PODS, number, make, wrap)


def in_pod(name: str) -> Wrap:
    return lambda items: pod(**{name: items})


def in_pod_affinity(kind: str, when: str) -> Wrap:
    return lambda items: pod(affinity={kind: {f"{when}DuringSchedulingIgnoredDuringExecution": items}})


def weighted_term(i: int) -> Any:
    return {"weight": 1, "podAffinityTerm": pod_term(i)}


def soft_spread(i: int) -> Any:
    return {**spread(i), "whenUnsatisfiable": "ScheduleAnyway"}


def value_in(items: list[Any]) -> Any:
    return {"matchExpressions": [{"key": "a", "operator": "In", "values": items}]}


def requests(items: list[Any]) -> Any:
    return in_container("resources", {"limits": dict(items)})  # type: ignore[arg-type]


def template(**spec: Any) -> Any:
    return {**meta(), "spec": {"replicas": 3, **owned(**spec)}}


def owned(**spec: Any) -> Any:
    labels = {"a": "b"}
    return {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}}


def daemon_set(items: list[Any]) -> Any:
    return {**meta(), "spec": owned(containers=items, nodeSelector={"kubernetes.io/hostname": "n-0"})}


def job(items: list[Any]) -> Any:
    return {"template": {"spec": {"restartPolicy": "Never", "containers": items}}}


def cron_job(items: list[Any]) -> Any:
    return {**meta(), "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job(items)}}}


stored_pod("containers", 20_000, container, in_pod("containers"))
stored_pod("init containers", 20_000, container, in_pod("initContainers"))
stored_pod("sidecars", 20_000, lambda i: {**container(i), "restartPolicy": "Always"}, in_pod("initContainers"))
stored_pod("containers with requests", 15_000,
           lambda i: {**container(i), "resources": {"requests": {"cpu": "1m"}}}, in_pod("containers"))  # fmt: skip
stored_pod("images", 20_000, lambda i: {"name": f"c{i}", "image": f"i{i}"}, in_pod("containers"))
stored_pod("commands", 15_000,
           lambda i: {**container(i), "command": ["sleep", f"{i}s"]}, in_pod("containers"))  # fmt: skip
stored_pod("containers that fit nowhere", 20_000, container,
           lambda items: pod(containers=items, nodeSelector={"a": "b"}))  # fmt: skip
stored_pod("env", 60_000, lambda i: {"name": f"E{i}", "value": f"$(E{i - 1})"}, partial(in_container, "env"))
stored_pod("ports", 60_000, lambda i: {"containerPort": i % 65535 + 1}, partial(in_container, "ports"))
stored_pod("host ports", 65_000, lambda i: {"containerPort": 1, "hostPort": i + 1}, partial(in_container, "ports"))
stored_pod("volumes", 60_000, lambda i: {"name": f"v{i}", "emptyDir": {}}, in_pod("volumes"))
stored_pod("volumes with claims", 40_000,
           lambda i: {"name": f"v{i}", "persistentVolumeClaim": {"claimName": f"c{i}"}}, in_pod("volumes"))  # fmt: skip
stored_pod("requests", 15_000, lambda i: (f"a.io/r{i}", "1"), requests)
stored_pod("tolerations", 90_000, lambda i: {"key": f"k{i}"}, in_pod("tolerations"))
stored_pod("node terms", 48_000, lambda i: {"matchExpressions": [{"key": f"k{i}", "operator": "Exists"}]}, in_affinity)
stored_pod("values of a node term", 150_000, lambda i: f"v{i}", lambda items: in_affinity([value_in(items)]))
stored_pod("anti-affinity terms", 30_000, pod_term, in_pod_affinity("podAntiAffinity", "required"))
stored_pod("affinity terms", 30_000, pod_term, in_pod_affinity("podAffinity", "required"))
stored_pod("preferred affinity terms", 22_000, weighted_term, in_pod_affinity("podAffinity", "preferred"))
stored_pod("preferred anti-affinity terms", 22_000, weighted_term, in_pod_affinity("podAntiAffinity", "preferred"))
stored_pod("spread constraints", 18_000, spread, in_pod("topologySpreadConstraints"))
stored_pod("soft spread constraints", 17_000, soft_spread, in_pod("topologySpreadConstraints"))
stored_pod("node selectors", 120_000, lambda i: (f"k{i}", "v"), lambda items: pod(nodeSelector=dict(items)))
stored_pod("claims", 50_000, lambda i: {"name": f"s{i}", "resourceClaimName": f"a{i}"}, in_pod("resourceClaims"))
stored_pod("scheduling gates", 120_000, lambda i: {"name": f"s{i}"}, in_pod("schedulingGates"))
stored_pod("labels", 120_000, lambda i: (f"k{i}", "v"), lambda items: {**pod(), **meta(labels=dict(items))})
stored_pod("owners", 25_000, owner, lambda items: {**pod(), **meta(ownerReferences=items)})
stored("deployment: 20,000 containers", DEPLOYMENTS, 20_000, container, lambda items: template(containers=items))
for sets in ("replicasets", "statefulsets"):
    stored(f"{sets[:-1]}: 20,000 containers", f"{SETS}/{sets}", 20_000, container,
           lambda items: template(containers=items))  # fmt: skip
stored("daemonset: 20,000 containers", f"{SETS}/daemonsets", 20_000, container, daemon_set)
stored("job: 20,000 containers", f"{BATCH}/jobs", 20_000, container, lambda items: {**meta(), "spec": job(items)})
stored("cronjob: 20,000 containers", f"{BATCH}/cronjobs", 20_000, container, cron_job)
stored("deployment: 70,000 tolerations", DEPLOYMENTS, 70_000, lambda i: {"key": f"k{i}"},
       lambda items: template(containers=[container(0)], tolerations=items))  # fmt: skip
stored("service: 10,000 ports", SERVICES, 10_000, lambda i: {"name": f"p{i}", "port": i + 1},
       lambda items: {**meta(), "spec": {"selector": {"a": "b"}, "ports": items}})  # fmt: skip
stored("service: 120,000 selectors", SERVICES, 120_000, lambda i: (f"k{i}", "v"),
       lambda items: {**meta(), "spec": {"selector": dict(items), "ports": [{"port": 1}]}})  # fmt: skip
stored("endpoints: 60,000 addresses", f"{DEFAULT}/endpoints", 60_000,
       lambda i: {"ip": f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}"},
       lambda items: {**meta(), "subsets": [{"addresses": items, "ports": [{"port": 1}]}]})  # fmt: skip
stored("node: 50,000 taints", "/api/v1/nodes", 50_000, lambda i: {"key": f"k{i}", "effect": "NoSchedule"},
       lambda items: {**meta(), "spec": {"taints": items}})  # fmt: skip
stored("node: 20,000 resources", "/api/v1/nodes", 20_000, lambda i: (f"a.io/r{i}", "1"),
       lambda items: {**meta(), "status": {"capacity": dict(items)}})  # fmt: skip
stored("node: 120,000 labels", "/api/v1/nodes", 120_000, lambda i: (f"k{i}", "v"),
       lambda items: meta(labels=dict(items)))  # fmt: skip
stored("node: 20,000 images", "/api/v1/nodes", 20_000, lambda i: {"names": [f"i{i}"], "sizeBytes": 1},
       lambda items: {**meta(), "status": {"images": items}})  # fmt: skip
stored("role: 45,000 rules", ROLES, 45_000, lambda i: {"apiGroups": [""], "resources": [f"r{i}"], "verbs": ["get"]},
       lambda items: {**meta(), "rules": items})  # fmt: skip
