"""The objects that a server creates when it starts, and what it does itself with flow schemas and API services."""

from __future__ import annotations

import random
import time
from typing import Any

from tests.apiserver.sidebyside.conversing import JSON, MERGE, TABLE, Conversation, Document

_FLOW, _SERVICES = "/apis/flowcontrol.apiserver.k8s.io/v1", "/apis/apiregistration.k8s.io/v1/apiservices"
_SETTLED_S = 0.6  # the real server's controllers take a moment
_NAMES = {
    "/api/v1/namespaces": ("default", "kube-node-lease", "kube-public", "kube-system"),
    "/apis/scheduling.k8s.io/v1/priorityclasses": ("system-cluster-critical", "system-node-critical"),
    "/apis/networking.k8s.io/v1/servicecidrs": ("kubernetes",),
    "/apis/networking.k8s.io/v1/ipaddresses": ("10.0.0.1",),
    f"{_FLOW}/flowschemas": (
        *("catch-all", "exempt", "global-default", "kube-controller-manager", "kube-scheduler", "probes"),
        *("kube-system-service-accounts", "service-accounts", "system-leader-election", "system-node-high"),
        "system-nodes",
    ),
    f"{_FLOW}/prioritylevelconfigurations": (
        *("catch-all", "exempt", "global-default", "leader-election", "node-high", "system", "workload-high"),
        "workload-low",
    ),
    _SERVICES: ("v1.", "v1.apps", "v2.autoscaling", "v1.flowcontrol.apiserver.k8s.io", "v1.resource.k8s.io"),
}


def initial(talk: Conversation, namespace: str, chance: random.Random) -> None:
    """Reads such objects, and writes others that the server completes."""
    for path, names in _NAMES.items():
        for name in names:
            for accept in (JSON, TABLE):
                _forget_versions(talk.ask("GET", f"{path}/{name}", accept=accept).body)
    _schemas(talk, f"{_FLOW}/flowschemas", f"{_FLOW}/prioritylevelconfigurations")
    _services(talk)


def _forget_versions(document: Any) -> None:
    """Removes the resource versions, which depend on the order in which the server has created its objects."""
    for part in [document, *(row["object"] for row in document.get("rows", ()))]:
        part.get("metadata", {}).pop("resourceVersion", None)


def _schemas(talk: Conversation, path: str, levels: str) -> None:
    spec: Document = {"priorityLevelConfiguration": {"name": "g-none"}, "matchingPrecedence": 5000}
    one = f"{path}/g-schema"
    talk.ask("POST", path, {"metadata": {"name": "g-schema"}, "spec": spec})
    _read(talk, one)
    limits = {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}}
    talk.ask("POST", levels, {"metadata": {"name": "g-none"}, "spec": {"type": "Limited", "limited": limits}})
    _read(talk, one)
    talk.ask("DELETE", f"{levels}/g-none")
    _read(talk, one)
    talk.ask("PATCH", one, {"spec": {"priorityLevelConfiguration": {"name": "global-default"}}}, content_type=MERGE)
    _read(talk, one)
    talk.ask("DELETE", one)
    for name in ("exempt", "catch-all"):
        talk.ask("PATCH", f"{path}/{name}", {"spec": {"matchingPrecedence": 7}}, content_type=MERGE)
        talk.ask("PATCH", f"{levels}/{name}", {"spec": {"type": "Odd"}}, {"dryRun": "All"}, content_type=MERGE)
        talk.ask("DELETE", f"{path}/{name}", query={"dryRun": "All"})


def _services(talk: Conversation) -> None:
    spec: Document = {"group": "g.example.net", "version": "v1", "groupPriorityMinimum": 10, "versionPriority": 10}
    spec |= {"service": {"namespace": "default", "name": "g-served", "port": 443}, "insecureSkipTLSVerify": True}
    one, services = f"{_SERVICES}/v1.g.example.net", "/api/v1/namespaces/default/services"
    talk.ask("POST", _SERVICES, {"metadata": {"name": "v1.g.example.net"}, "spec": spec})
    _read(talk, one)
    ports: Document = {"ports": [{"port": 444}]}
    talk.ask("POST", services, {"metadata": {"name": "g-served"}, "spec": ports})
    _read(talk, one)
    talk.ask("PUT", f"{services}/g-served", {"metadata": {"name": "g-served"}, "spec": {"ports": [{"port": 443}]}})
    _read(talk, one)
    talk.ask("DELETE", f"{services}/g-served")
    _read(talk, one)
    talk.ask("DELETE", one)


def _read(talk: Conversation, one: str) -> None:
    time.sleep(_SETTLED_S)
    talk.ask("GET", one)
    talk.ask("GET", one, accept=TABLE)
