"""Groups that another server would serve behind the aggregation layer, whose resources are no kinds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from wavetank.apiserver.verbs.bootstrapping import bootstrap
from wavetank.apiserver.verbs.writing import Writer

Document = dict[str, Any]


class AggregatedResource(NamedTuple):
    """A resource such as pods/requests-per-second, and the kind of the answers."""

    name: str
    kind: str
    namespaced: bool = True


class AggregatedGroup(Protocol):
    """A group and its resources, as discovery shows them."""

    @property
    def name(self) -> str:
        """Returns the name of the group."""

    @property
    def versions(self) -> tuple[str, ...]:
        """Returns the versions, the preferred one first."""

    def resources(self) -> Iterable[AggregatedResource]:
        """Yields the resources, which are the same in all versions."""


def plain_resources(group: AggregatedGroup, version: str) -> Document:
    """Returns the APIResourceList of one version."""
    resources = [
        {
            "name": each.name,
            "singularName": "",
            "namespaced": each.namespaced,
            "kind": each.kind,
            "verbs": ["get"],
        }
        for each in group.resources()
    ]
    head = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{group.name}/{version}"}
    return {**head, "resources": resources}


def aggregated_group(group: AggregatedGroup) -> Document:
    """Returns an item of an APIGroupDiscoveryList."""
    versions = [
        {"version": version, "resources": _discovered(group, version), "freshness": "Current"}
        for version in group.versions
    ]
    return {"metadata": {"name": group.name}, "versions": versions}


def _discovered(group: AggregatedGroup, version: str) -> list[Document]:
    """Returns resources with their subresources: what comes after a slash is one."""
    found: dict[str, Document] = {}
    for each in group.resources():
        parent, slash, name = each.name.partition("/")
        response = {"group": group.name, "version": version, "kind": each.kind}
        scope = "Namespaced" if each.namespaced else "Cluster"
        entry = found.setdefault(
            parent, {"resource": parent, "responseKind": {"group": "", "version": "", "kind": ""}, "scope": scope}
        )
        entry.setdefault("singularResource", "")
        entry.setdefault("verbs", [])
        if slash:
            part = {"subresource": name, "responseKind": response, "verbs": ["get"]}
            entry.setdefault("subresources", []).append(part)
        else:
            entry |= {"responseKind": response, "verbs": ["get"]}
    return list(found.values())


def register(writer: Writer, group: str, version: str, service: str) -> None:
    """Creates the APIService by which the aggregation layer would find the server of a group."""
    kind = writer.objects.kinds.named("apiregistration.k8s.io/v1", "APIService")
    assert kind is not None
    document: Document = {"apiVersion": kind.api_version, "kind": kind.kind}
    document["metadata"] = {"name": f"{version}.{group}", "labels": {"k8s-app": service}}
    reference = {"name": service, "namespace": "kube-system", "port": 443}
    priorities = {"groupPriorityMinimum": 100, "versionPriority": 100}
    spec = {"group": group, "version": version, "service": reference, "insecureSkipTLSVerify": True, **priorities}
    available = {"type": "Available", "status": "True", "reason": "Passed", "message": "all checks passed"}
    status = {"conditions": [{**available, "lastTransitionTime": writer.now}]}
    if writer.objects.find(kind, "", document["metadata"]["name"]) is None:
        bootstrap(writer, kind, {**document, "spec": spec, "status": status})
