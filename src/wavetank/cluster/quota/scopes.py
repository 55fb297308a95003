from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wavetank.cluster.quota.qos import quality_of_service

Document = Mapping[str, Any]

_TERMS = ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")


def is_in_scope(resource: str, document: Document, quota: Document) -> bool:
    """Returns whether a quota, given by its spec, counts an object: all of its scopes must fit."""
    selectors = [{"scopeName": scope, "operator": "Exists"} for scope in quota.get("scopes") or ()]
    selectors += (quota.get("scopeSelector") or {}).get("matchExpressions") or []
    return all(_matches(resource, document, selector) for selector in selectors)


def is_terminating(spec: Document) -> bool:
    """Returns whether a pod runs for a limited time only."""
    return spec.get("activeDeadlineSeconds") is not None


def _matches(resource: str, document: Document, selector: Document) -> bool:
    scope = selector.get("scopeName")
    if resource == "persistentvolumeclaims":
        return scope == "VolumeAttributesClass" and any(_is_named(name, selector) for name in _classes(document))
    return resource == "pods" and _pod_matches(document["spec"], str(scope), selector)


def _pod_matches(spec: Document, scope: str, selector: Document) -> bool:
    match scope:
        case "Terminating":
            return is_terminating(spec)
        case "NotTerminating":
            return not is_terminating(spec)
        case "BestEffort":
            return quality_of_service(spec) == "BestEffort"
        case "NotBestEffort":
            return quality_of_service(spec) != "BestEffort"
        case "PriorityClass":
            return _is_named(spec.get("priorityClassName") or "", selector)
        case "CrossNamespacePodAffinity":
            return any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in _terms(spec))
    return False


def _is_named(name: str, selector: Document) -> bool:
    values = selector.get("values") or []
    match selector.get("operator"):
        case "In":
            return name in values
        case "NotIn":
            return name not in values
        case "DoesNotExist":
            return not name
    return bool(name)


def _classes(claim: Document) -> list[str]:
    """Returns the classes of attributes that a claim asks for, has, or is about to get; one empty name if none."""
    spec, status = claim["spec"], claim.get("status") or {}
    moving = (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    names = {spec.get("volumeAttributesClassName"), status.get("currentVolumeAttributesClassName"), moving}
    return sorted(name for name in names if name) or [""]


def _terms(spec: Document) -> Iterator[Document]:
    affinity = spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        for part in _TERMS:
            for term in (affinity.get(kind) or {}).get(part) or ():
                yield term.get("podAffinityTerm") or term
