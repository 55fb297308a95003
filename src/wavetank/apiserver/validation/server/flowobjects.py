"""The flow schemas and priority levels of every server; the mandatory ones must stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]

MANDATORY = ("exempt", "catch-all")

_EVERYTHING: Document = {
    "resourceRules": [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
    ],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}
_LEASES: Document = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "namespaces": ["*"]}
_NODES: Document = {"verbs": ["*"], "apiGroups": [""], "resources": ["nodes", "nodes/status"], "namespaces": ["*"]}
_PROBES: Document = {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}
_RULES: dict[str, Document] = {
    "probes": {"nonResourceRules": [_PROBES]},
    "system-leader-election": {"resourceRules": [{"verbs": ["get", "create", "update"], **_LEASES}]},
    "system-node-high": {"resourceRules": [{**_NODES, "clusterScope": True}, {"verbs": ["*"], **_LEASES}]},
}
_ANYBODY = ("Group system:unauthenticated", "Group system:authenticated")
_KUBE_SYSTEM = "ServiceAccount kube-system:*"
# name: (priority level, precedence, distinguisher method, subjects)
_SCHEMAS: dict[str, tuple[str, int, str, tuple[str, ...]]] = {
    "catch-all": ("catch-all", 10000, "ByUser", _ANYBODY),
    "exempt": ("exempt", 1, "", ("Group system:masters",)),
    "global-default": ("global-default", 9900, "ByUser", _ANYBODY),
    "kube-controller-manager": ("workload-high", 800, "ByNamespace", ("User system:kube-controller-manager",)),
    "kube-scheduler": ("workload-high", 800, "ByNamespace", ("User system:kube-scheduler",)),
    "kube-system-service-accounts": ("workload-high", 900, "ByNamespace", (_KUBE_SYSTEM,)),
    "probes": ("exempt", 2, "", _ANYBODY),
    "service-accounts": ("workload-low", 9000, "ByUser", ("Group system:serviceaccounts",)),
    "system-leader-election": (
        "leader-election",
        100,
        "ByUser",
        ("User system:kube-controller-manager", "User system:kube-scheduler", _KUBE_SYSTEM),
    ),
    "system-node-high": ("node-high", 400, "ByUser", ("Group system:nodes",)),
    "system-nodes": ("system", 500, "ByUser", ("Group system:nodes",)),
}
# name: (concurrency shares, lendable percent, queues, hand size)
_LEVELS = {
    "catch-all": (5, 0, 0, 0),
    "exempt": (0, 0, 0, 0),
    "global-default": (20, 50, 128, 6),
    "leader-election": (10, 0, 16, 4),
    "node-high": (40, 25, 64, 6),
    "system": (30, 33, 64, 6),
    "workload-high": (40, 50, 128, 6),
    "workload-low": (100, 90, 128, 6),
}


def flow_schema_specs() -> dict[str, Document]:
    """Returns the specs of the flow schemas by name."""
    return {name: _schema_spec(name) for name in _SCHEMAS}


def priority_level_specs() -> dict[str, Document]:
    """Returns the specs of the priority levels by name."""
    return {name: _level_spec(name) for name in _LEVELS}


def _schema_spec(name: str) -> Document:
    level, precedence, method, subjects = _SCHEMAS[name]
    spec: Document = {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence}
    if method:
        spec["distinguisherMethod"] = {"type": method}
    spec["rules"] = [{"subjects": list(_subjects(subjects)), **_RULES.get(name, _EVERYTHING)}]
    return spec


def _subjects(texts: tuple[str, ...]) -> Iterator[Document]:
    for text in texts:
        kind, _, name = text.partition(" ")
        if kind == "ServiceAccount":
            namespace, _, account = name.partition(":")
            yield {"kind": kind, "serviceAccount": {"namespace": namespace, "name": account}}
        else:
            yield {"kind": kind, kind.lower(): {"name": name}}


def _level_spec(name: str) -> Document:
    shares, lendable, queues, hand = _LEVELS[name]
    limits: Document = {"nominalConcurrencyShares": shares, "lendablePercent": lendable}
    if name == "exempt":
        return {"type": "Exempt", "exempt": limits}
    queuing = {"queues": queues, "handSize": hand, "queueLengthLimit": 50}
    limits["limitResponse"] = {"type": "Queue", "queuing": queuing} if queues else {"type": "Reject"}
    return {"type": "Limited", "limited": limits}
