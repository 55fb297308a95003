"""Kueue: its controllers, scheduler and webhooks, started by a main package of wavetank's."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.errors import InputError
from wavetank.loop.recipes.recipe import Document, Recipe

_HEAD = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
_GROUP = "kueue.x-k8s.io"
_NAMESPACE, _PREFIX = "kueue-system", "kueue-"  # which Kueue's kustomization adds
_WEBHOOK_SERVICE, _WEBHOOK_PORT = "webhook-service", 9443
# What the loop requires: one instance, no certificates and endpoints, no client-side rate limit.
_NEEDED: Mapping[str, Mapping[str, Any]] = {
    "health": {"healthProbeBindAddress": "0"},
    "metrics": {"bindAddress": "0"},
    "leaderElection": {"leaderElect": False},
    "internalCertManagement": {"enable": False},
    "webhook": {"port": _WEBHOOK_PORT},
    "clientConnection": {"qps": 5000, "burst": 5000},
}
# The visibility server and other clusters are not part of a run.
_GATES_OFF = ("VisibilityOnDemand", "MultiKueue")
_FRAMEWORKS = ("batch/job",)  # by default; Kueue waits forever for the API of any other that is not served

_CONVERTED = ("localqueues", "clusterqueues", "cohorts", "workloads", "multikueueclusters")


def configure(document: Mapping[str, Any]) -> Document:
    """Returns Kueue's configuration, completed for the loop; InputError if it is none."""
    for name, expected in _HEAD.items():
        if document.get(name, expected) != expected:
            raise InputError(f"expected {expected}, got {document[name]!r:.60}", path=name)
    made: Document = {**copy.deepcopy(dict(document)), **_HEAD, "namespace": _NAMESPACE}
    for section, needed in _NEEDED.items():
        made[section] = {**(made.get(section) or {}), **needed}
    made["featureGates"] = {**(made.get("featureGates") or {}), **dict.fromkeys(_GATES_OFF, False)}
    made["integrations"] = {"frameworks": list(_FRAMEWORKS), **(made.get("integrations") or {})}
    return made


def adapt(documents: Sequence[Document], configuration: Mapping[str, Any]) -> list[Document]:
    """Returns Kueue's definitions and webhook configurations as its kustomization makes them, merged by name.

    Webhooks of kinds that the configuration does not name are left out: they would do nothing.
    """
    kinds = {str(each).rpartition("/")[2] for each in configure(configuration)["integrations"]["frameworks"]}
    merged: dict[str, Document] = {}
    for each in documents:
        name = each["metadata"]["name"]
        if each["kind"] == "CustomResourceDefinition":
            present = merged.setdefault(name, {**each, "spec": {}})
            present["spec"] = {**present["spec"], **each["spec"]}
            _rename_service(present["spec"].get("conversion", {}).get("webhook", {}))
        elif each["kind"].endswith("WebhookConfiguration"):
            merged[name] = _webhooks(each, kinds)
    return list(merged.values())


def _webhooks(configuration: Document, kinds: set[str]) -> Document:
    made = copy.deepcopy(configuration)
    made["metadata"]["name"] = _PREFIX + made["metadata"]["name"]
    made["webhooks"] = [each for each in made["webhooks"] if _is_used(each, kinds)]
    for each in made["webhooks"]:
        _rename_service(each)
        if each["name"][1:] in ("pod.kb.io", "deployment.kb.io", "statefulset.kb.io"):
            each["namespaceSelector"] = _OTHER_NAMESPACES
    return made


_OTHER_NAMESPACES = {
    "matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", _NAMESPACE]}
    ]
}


def _is_used(webhook: Document, kinds: set[str]) -> bool:
    rules = webhook["rules"]
    resources = {name.partition("/")[0].removesuffix("s") for rule in rules for name in rule["resources"]}
    return any(_GROUP in rule["apiGroups"] for rule in rules) or bool(resources & kinds)


def _rename_service(webhook: Document) -> None:
    service = webhook.get("clientConfig", {}).get("service")
    if service is not None and service["namespace"] == "system":
        service |= {"namespace": _NAMESPACE, "name": _PREFIX + service["name"]}


KUEUE = Recipe(
    module="sigs.k8s.io/kueue",
    version="v0.16.1",
    sources="kueue",
    linked="sigs.k8s.io/kueue/pkg/version.GitVersion",
    manifests=(
        "config/components/crd/bases/*.yaml",
        *(f"config/components/crd/patches/webhook_in_{plural}.yaml" for plural in _CONVERTED),
        "config/components/webhook/manifests.yaml",
    ),
    adapt=adapt,
    configure=configure,
    services={f"{_NAMESPACE}/{_PREFIX}{_WEBHOOK_SERVICE}": _WEBHOOK_PORT},
)
