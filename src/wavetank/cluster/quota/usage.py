"""What an object uses of the quotas of its namespace."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from wavetank.cluster.objects.resource import parse_time
from wavetank.cluster.quota.amount import ONE, ZERO, Amount
from wavetank.cluster.quota.devices import PER_CLASS, devices_of
from wavetank.cluster.quota.sums import pod_amounts
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.quantity import value_of

Document = Mapping[str, Any]

_COMPUTED = ("cpu", "memory", "ephemeral-storage")
_REQUIRED = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
_OF_PODS = {"pods", *_COMPUTED, *(f"{part}.{name}" for part in ("requests", "limits") for name in _COMPUTED)}
_PAGES = "hugepages-"
# Kinds that quotas count by their plain name too.
_COUNTED = ("configmaps", "secrets", "replicationcontrollers", "resourcequotas", "services", "persistentvolumeclaims")
_BY_PATTERN = ("pods", "services", "persistentvolumeclaims", "resourceclaims.resource.k8s.io")  # and by other names
_OF_SERVICES = ("services.nodeports", "services.loadbalancers")
_CLASS = ".storageclass.storage.k8s.io/"
_CLASS_NOTE = "volume.beta.kubernetes.io/storage-class"


def usage_of(resource: str, document: Document, now: Nanoseconds) -> dict[str, Amount]:
    """Returns the amounts that one object uses at a time, by the names that quotas have for them.

    `resource` is the kind as the API calls it: pods, deployments.apps.
    """
    used = {f"count/{resource}": ONE}
    if resource in _COUNTED:
        used[resource] = ONE
    if resource == "pods" and _is_charged(document, now):
        used.update(_of_pod(document["spec"]))
    elif resource == "services":
        used.update(_of_service(document["spec"]))
    elif resource == "persistentvolumeclaims":
        used.update(_of_claim(document))
    elif resource == "resourceclaims.resource.k8s.io":
        used.update(devices_of(document))
    return used


def counts(resource: str, name: str) -> bool:
    """Returns whether a quota's resource `name` is about objects of a kind."""
    if name == f"count/{resource}" or (name == resource and resource in _COUNTED):
        return True
    match resource:
        case "pods":
            return name in _OF_PODS or name.startswith((_PAGES, f"requests.{_PAGES}")) or _is_extended(name)
        case "services":
            return name in _OF_SERVICES
        case "persistentvolumeclaims":
            return name == "requests.storage" or name.endswith(
                (f"{_CLASS}requests.storage", f"{_CLASS}persistentvolumeclaims")
            )
        case "resourceclaims.resource.k8s.io":
            return name.endswith(PER_CLASS)
    return False


def counts_any(resource: str, names: Collection[str]) -> bool:
    """Returns whether any of a quota's resources is about objects of a kind; `names` is a set or a mapping."""
    if resource in _BY_PATTERN:
        return any(counts(resource, name) for name in names)
    return f"count/{resource}" in names or (resource in names and resource in _COUNTED)


def missing_requests(spec: Document, names: Iterable[str]) -> str:
    """Returns which containers do not state what a quota counts: `requests.cpu for: c; limits.cpu for: c`."""
    if (spec.get("resources") or {}).get("requests") or (spec.get("resources") or {}).get("limits"):
        return ""
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    missing = []
    for name in sorted(set(_REQUIRED) & set(names)):
        part, _, resource = name.rpartition(".")
        without = [one.get("name", "") for one in containers if resource not in _amounts(one, part or "requests")]
        if without:
            missing.append(f"{name} for: {','.join(sorted(set(without)))}")
    return "; ".join(missing)


def _is_extended(name: str) -> bool:
    resource = name.removeprefix("requests.")
    return resource != name and "/" in resource and "kubernetes.io/" not in resource


def _is_charged(pod: Document, now: Nanoseconds) -> bool:
    """Returns whether a pod has neither ended nor is stuck in its deletion."""
    if (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
        return False
    metadata = pod.get("metadata") or {}
    stamp = parse_time(metadata.get("deletionTimestamp"), "metadata.deletionTimestamp")
    grace = metadata.get("deletionGracePeriodSeconds")
    return stamp is None or grace is None or now <= stamp + grace * SECOND


def _of_pod(spec: Document) -> Iterator[tuple[str, Amount]]:
    yield "pods", ONE
    for name, amount in pod_amounts(spec, "requests").items():
        if name in _COMPUTED or name.startswith(_PAGES):
            yield name, amount
        yield f"requests.{name}", amount
    for name, amount in pod_amounts(spec, "limits").items():
        if name in _COMPUTED:
            yield f"limits.{name}", amount


def _of_service(spec: Document) -> Iterator[tuple[str, Amount]]:
    kind, ports = spec.get("type"), spec.get("ports") or ()
    numbered = len(ports) if kind in ("NodePort", "LoadBalancer") else 0
    if kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is False:
        numbered = sum(1 for port in ports if port.get("nodePort"))
    yield "services.nodeports", Amount(Fraction(numbered))
    yield "services.loadbalancers", ONE if kind == "LoadBalancer" else ZERO


def _of_claim(claim: Document) -> Iterator[tuple[str, Amount]]:
    spec, annotations = claim["spec"], (claim.get("metadata") or {}).get("annotations") or {}
    name = annotations.get(_CLASS_NOTE, spec.get("storageClassName"))
    if name:
        yield f"{name}{_CLASS}persistentvolumeclaims", ONE
    size = _claimed(claim)
    if size is not None:
        yield "requests.storage", size
        if name:
            yield f"{name}{_CLASS}requests.storage", size


def _claimed(claim: Document) -> Amount | None:
    """Returns the storage that a claim requests, or its capacity if that is more, in whole bytes."""
    asked = _amounts(claim["spec"], "requests").get("storage")
    if asked is None:
        return None
    promised = ((claim.get("status") or {}).get("allocatedResources") or {}).get("storage")
    amount = Amount.parse(promised if promised and value_of(promised) > value_of(asked) else asked)
    return Amount(Fraction(-(-amount.value.numerator // amount.value.denominator)), amount.binary)


def _amounts(owner: Document, part: str) -> Document:
    return (owner.get("resources") or {}).get(part) or {}
