from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from wavetank.apiserver.admission.attributes import Attributes, Document
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.cluster.objects.groupkinds import LIMIT_RANGE
from wavetank.cluster.quota.amount import render_amounts
from wavetank.cluster.quota.sums import pod_amounts
from wavetank.quantity import value_of

Amounts = Mapping[str, str]
Find = Callable[[Document, list[Document]], Iterator[str]]
_AMOUNT = 50  # bytes of an amount with its name
_NOTE = "kubernetes.io/limit-ranger"


class LimitRanger(Plugin):
    """Sets the default requests and limits of containers, and enforces the limits of their namespace."""

    name = "LimitRanger"

    def mutate(self, attributes: Attributes) -> None:
        """Completes a new pod."""
        is_pod = attributes.is_write_of("Pod", "CREATE") or _is_resize(attributes)
        if not is_pod and not _is_claim(attributes):
            return
        for limits in self._ranges(attributes):
            attributes.weight = max(attributes.weight, _weight(attributes.document, limits))
            if is_pod:
                attributes.beside(partial(_set_defaults, attributes.document, limits))

    def validate(self, attributes: Attributes) -> None:
        """Refuses a pod or a claim that asks for too much or too little."""
        claim = _is_claim(attributes)
        if not claim and not _is_resize(attributes) and not attributes.is_write_of("Pod", "CREATE"):
            return
        if attributes.old is not None and attributes.old["metadata"].get("deletionTimestamp"):
            return
        for limits in self._ranges(attributes):
            find: Find = _claim_problems if claim else _pod_problems
            look = partial(_distinct, find, attributes.document, limits)
            problems = attributes.beside(look)
            if problems:
                shown = ", ".join(problems)
                raise attributes.refused(shown if len(problems) == 1 else f"[{shown}]")

    def _ranges(self, attributes: Attributes) -> Iterator[list[Document]]:
        for found in self.store.list(LIMIT_RANGE):
            if found.namespace == attributes.namespace:
                yield (found.manifest.get("spec") or {}).get("limits") or []


def _weight(document: Document, limits: list[Document]) -> int:
    """Returns about how many bytes are looked at, or added to a pod, for each of its containers in turn."""
    amounts = sum(len(part) for limit in limits for part in limit.values() if isinstance(part, dict))
    containers = sum(len(document["spec"].get(kind) or ()) for kind in ("containers", "initContainers"))
    return _AMOUNT * (len(limits) + amounts) * max(1, containers)


def _distinct(find: Find, document: Document, limits: list[Document]) -> list[str]:
    return list(dict.fromkeys(find(document, limits)))


def _is_claim(attributes: Attributes) -> bool:
    return attributes.is_write_of("PersistentVolumeClaim", "CREATE", "UPDATE")


def _is_resize(attributes: Attributes) -> bool:
    return attributes.kind.group_kind == "Pod" and attributes.subresource == "resize"


def _set_defaults(pod: Document, limits: list[Document]) -> None:
    notes: list[str] = []
    for kind, shown in (("containers", "container"), ("initContainers", "init container")):
        for container in pod["spec"].get(kind) or ():
            resources = container.setdefault("resources", {})
            for part, default, word in (("limits", "default", "limit"), ("requests", "defaultRequest", "request")):
                amounts = {
                    name: a
                    for one in limits
                    if one.get("type") == "Container"
                    for name, a in (one.get(default) or {}).items()
                }
                added = sorted(amounts.keys() - (resources.get(part) or {}).keys())
                if added:
                    resources[part] = {**(resources.get(part) or {}), **{name: amounts[name] for name in added}}
                    notes.append(f"{', '.join(added)} {word} for {shown} {container.get('name', '')}")
            notes[-2:] = sorted(notes[-2:], key=lambda note: " limit for " in note)
    if notes:
        metadata = pod["metadata"]
        metadata["annotations"] = {
            **(metadata.get("annotations") or {}),
            _NOTE: f"LimitRanger plugin set: {'; '.join(notes)}",
        }


def _pod_problems(pod: Document, limits: list[Document]) -> Iterator[str]:
    for limit in limits:
        kind = limit.get("type", "")
        if kind == "Container":
            for container in [*(pod["spec"].get("containers") or ()), *(pod["spec"].get("initContainers") or ())]:
                resources = container.get("resources") or {}
                yield from _problems(kind, limit, resources.get("requests") or {}, resources.get("limits") or {})
        elif kind == "Pod":
            requests, ceilings = (render_amounts(pod_amounts(pod["spec"], part)) for part in ("requests", "limits"))
            yield from _problems(kind, limit, requests, ceilings)


def _claim_problems(claim: Document, limits: list[Document]) -> Iterator[str]:
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    for limit in limits:
        if limit.get("type") == "PersistentVolumeClaim":
            yield from _each(
                limit, "min", lambda name, bound: _below("PersistentVolumeClaim", name, bound, requests, {})
            )
            for name, bound in (limit.get("max") or {}).items():
                shown = f"maximum {name} usage per PersistentVolumeClaim is {bound}"
                if name not in requests:
                    yield f"{shown}.  No request is specified"
                elif value_of(requests[name]) > value_of(bound):
                    yield f"{shown}, but request is {requests[name]}"


def _problems(kind: str, limit: Document, requests: Amounts, limits: Amounts) -> Iterator[str]:
    yield from _each(limit, "min", lambda name, bound: _below(kind, name, bound, requests, limits))
    yield from _each(limit, "max", lambda name, bound: _above(kind, name, bound, requests, limits))
    yield from _each(limit, "maxLimitRequestRatio", lambda name, bound: _stretched(kind, name, bound, requests, limits))


def _each(limit: Document, part: str, check: Callable[[str, str], str]) -> Iterator[str]:
    for name, bound in (limit.get(part) or {}).items():
        problem = check(name, bound)
        if problem:
            yield problem


def _below(kind: str, name: str, bound: str, requests: Amounts, limits: Amounts) -> str:
    shown = f"minimum {name} usage per {kind} is {bound}"
    if name not in requests:
        return f"{shown}.  No request is specified"
    if value_of(requests[name]) < value_of(bound):
        return f"{shown}, but request is {requests[name]}"
    return (
        f"{shown}, but limit is {limits[name]}" if name in limits and value_of(limits[name]) < value_of(bound) else ""
    )


def _above(kind: str, name: str, bound: str, requests: Amounts, limits: Amounts) -> str:
    shown = f"maximum {name} usage per {kind} is {bound}"
    if name not in limits:
        return f"{shown}.  No limit is specified"
    if value_of(limits[name]) > value_of(bound):
        return f"{shown}, but limit is {limits[name]}"
    above = name in requests and value_of(requests[name]) > value_of(bound)
    return f"{shown}, but request is {requests[name]}" if above else ""


def _stretched(kind: str, name: str, bound: str, requests: Amounts, limits: Amounts) -> str:
    shown = f"{name} max limit to request ratio per {kind} is {bound}"
    request, limit = value_of(requests.get(name)), value_of(limits.get(name))
    if not request:
        return f"{shown}, but no request is specified or request is 0"
    if not limit:
        return f"{shown}, but no limit is specified or limit is 0"
    ratio = limit / request
    return f"{shown}, but provided ratio is {float(ratio):f}" if ratio > value_of(bound) else ""
