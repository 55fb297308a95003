"""Defaults of the core group, pods aside."""

from __future__ import annotations

import base64

from wavetank.apiserver.defaulting.fields import Document, default, fill, given, items, optional, part, round_up
from wavetank.apiserver.defaulting.pods import default_template
from wavetank.apiserver.defaulting.volumes import default_claim_spec, default_disks


def default_replication_controller(controller: Document) -> None:
    """Completes a replication controller: it selects, and is labelled as, what its template makes."""
    spec = part(controller, "spec")
    labels = optional(spec, "template", "metadata").get("labels")
    if labels:
        default(spec, "selector", dict(labels))
        default(part(controller, "metadata"), "labels", dict(labels))
    default(spec, "replicas", 1)
    for template in given(spec, "template"):
        default_template(template)


def default_pod_template(template: Document) -> None:
    """Completes a stored template."""
    default_template(part(template, "template"))


def default_service(service: Document) -> None:
    """Completes a service; addresses and node ports are allocated later."""
    spec = part(service, "spec")
    fill(spec, sessionAffinity="None", type="ClusterIP")
    _default_affinity(spec)
    for port in items(spec, "ports"):
        default(port, "protocol", "TCP")
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port", 0)
    external = spec["type"] in ("NodePort", "LoadBalancer")
    if external or (spec["type"] == "ClusterIP" and spec.get("externalIPs")):
        default(spec, "externalTrafficPolicy", "Cluster")
    if external or spec["type"] == "ClusterIP":
        default(spec, "internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        _default_balancer(service)


def _default_affinity(spec: Document) -> None:
    stated = "timeoutSeconds" in optional(spec, "sessionAffinityConfig", "clientIP")
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP" and not stated:
        spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}


def _default_balancer(service: Document) -> None:
    default(service["spec"], "allocateLoadBalancerNodePorts", True)
    for entry in items(optional(service, "status", "loadBalancer"), "ingress"):
        if entry.get("ip"):
            default(entry, "ipMode", "VIP")


def default_secret(secret: Document) -> None:
    """Completes a secret; stringData is a client's way to write data."""
    default(secret, "type", "Opaque")
    for name, text in (secret.pop("stringData", None) or {}).items():
        part(secret, "data")[name] = base64.b64encode(text.encode()).decode()


def default_persistent_volume(volume: Document) -> None:
    """Completes a volume of the cluster."""
    spec = part(volume, "spec")
    default(part(volume, "status"), "phase", "Pending")
    fill(spec, persistentVolumeReclaimPolicy="Retain", volumeMode="Filesystem")
    round_up(spec, "capacity")
    default_disks(spec)


def default_claim(claim: Document) -> None:
    """Completes a claim of a volume."""
    status = part(claim, "status")
    default(status, "phase", "Pending")
    default_claim_spec(part(claim, "spec"))
    round_up(status, "capacity", "allocatedResources")


def default_endpoints(endpoints: Document) -> None:
    """Completes endpoints."""
    for subset in items(endpoints, "subsets"):
        for port in items(subset, "ports"):
            default(port, "protocol", "TCP")


def default_namespace(namespace: Document) -> None:
    """Completes a namespace: its name is one of its labels, as soon as it has one."""
    metadata = part(namespace, "metadata")
    if metadata.get("name"):
        part(metadata, "labels")["kubernetes.io/metadata.name"] = metadata["name"]
    default(part(namespace, "status"), "phase", "Active")


def default_node(node: Document) -> None:
    """Completes a node: all that it has may be allocated."""
    spec, status = part(node, "spec"), part(node, "status")
    if "capacity" in status:
        default(status, "allocatable", dict(status["capacity"]))
    round_up(status, "capacity", "allocatable")
    if spec.get("podCIDR") and (spec.get("podCIDRs") or [""])[0] != spec["podCIDR"]:
        spec["podCIDRs"] = [spec["podCIDR"]]
    elif spec.get("podCIDRs"):
        spec["podCIDR"] = spec["podCIDRs"][0]


def default_limit_range(limits: Document) -> None:
    """Completes limits of containers: the default limit is the maximum, the default request that or the minimum."""
    for item in items(part(limits, "spec"), "limits"):
        if item.get("type") == "Container":
            default = {**optional(item, "max"), **optional(item, "default")}
            item["default"] = default
            item["defaultRequest"] = {**optional(item, "min"), **default, **optional(item, "defaultRequest")}
        round_up(item, "max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def default_resource_quota(quota: Document) -> None:
    """Completes a quota."""
    round_up(optional(quota, "spec"), "hard")
    round_up(optional(quota, "status"), "hard", "used")
