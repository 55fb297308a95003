"""What an object uses of the quotas of its namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from wavetank.apiserver.admission.attributes import Document
from wavetank.apiserver.kinds.kind import Kind
from wavetank.apiserver.strategies.qos import quality_of_service
from wavetank.apiserver.validation.quantities import is_native, value_of
from wavetank.apiserver.validation.sums import pod_amounts

_COMPUTED = ("cpu", "memory", "ephemeral-storage")
_REQUIRED = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
_COUNTED = ("configmaps", "secrets", "replicationcontrollers", "resourcequotas", "services", "pods")
_CLASS = ".storageclass.storage.k8s.io/"


def usage_of(kind: Kind, document: Document) -> dict[str, Fraction]:
    """Returns the amounts that one object uses, by the names that quotas have for them."""
    used = {f"count/{kind.resource}": Fraction(1)}
    if kind.resource in _COUNTED or kind.resource == "persistentvolumeclaims":
        used[kind.resource] = Fraction(1)
    if kind.table == "Pod":
        finished = (document.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        return {} if finished else {**used, **dict(_of_pod(document["spec"]))}
    if kind.table == "Service":
        used.update(_of_service(document["spec"]))
    if kind.table == "PersistentVolumeClaim":
        used.update(_of_claim(document["spec"]))
    return used


def missing_requests(spec: Document, hard: Mapping[str, str]) -> str:
    """Returns which containers do not state what a quota counts: `requests.cpu for: c; limits.cpu for: c`."""
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    missing = []
    for name in sorted(set(_REQUIRED) & hard.keys()):
        part, _, resource = name.rpartition(".")
        without = [one.get("name", "") for one in containers if resource not in _amounts(one, part or "requests")]
        if without:
            missing.append(f"{name} for: {','.join(sorted(without))}")
    return "; ".join(missing)


def is_in_scope(table: str, document: Document, quota: Document) -> bool:
    """Tells whether a quota counts an object: one with scopes counts only pods of those."""
    selectors = [{"scopeName": scope, "operator": "Exists"} for scope in quota.get("scopes") or ()]
    selectors += (quota.get("scopeSelector") or {}).get("matchExpressions") or []
    return not selectors or (table == "Pod" and all(_matches(document["spec"], one) for one in selectors))


def _matches(spec: Document, selector: Document) -> bool:
    match selector.get("scopeName"):
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "BestEffort":
            return quality_of_service(spec) == "BestEffort"
        case "NotBestEffort":
            return quality_of_service(spec) != "BestEffort"
        case "PriorityClass":
            return _has_class(spec.get("priorityClassName") or "", selector)
    return False


def _has_class(name: str, selector: Document) -> bool:
    values = selector.get("values") or []
    match selector.get("operator"):
        case "In":
            return name in values
        case "NotIn":
            return name not in values
        case "DoesNotExist":
            return not name
    return bool(name)


def _of_pod(spec: Document) -> Iterator[tuple[str, Fraction]]:
    for name, amount in pod_amounts(spec, "requests").items():
        if name in _COMPUTED or name.startswith("hugepages-"):
            yield name, value_of(amount)
        yield f"requests.{name}", value_of(amount)
    for name, amount in pod_amounts(spec, "limits").items():
        if is_native(name):
            yield f"limits.{name}", value_of(amount)


def _of_service(spec: Document) -> Iterator[tuple[str, Fraction]]:
    kind, ports = spec.get("type"), len(spec.get("ports") or ())
    balanced = kind == "LoadBalancer"
    numbered = kind == "NodePort" or (balanced and spec.get("allocateLoadBalancerNodePorts", True))
    yield "services.nodeports", Fraction(ports if numbered else 0)
    yield "services.loadbalancers", Fraction(int(balanced))


def _of_claim(spec: Document) -> Iterator[tuple[str, Fraction]]:
    size = value_of(_amounts(spec, "requests").get("storage"))
    yield "requests.storage", size
    name = spec.get("storageClassName")
    if name:
        yield f"{name}{_CLASS}requests.storage", size
        yield f"{name}{_CLASS}persistentvolumeclaims", Fraction(1)


def _amounts(owner: Document, part: str) -> Document:
    return (owner.get("resources") or {}).get(part) or {}
