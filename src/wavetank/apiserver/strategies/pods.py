"""How pods are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wavetank.apiserver.generations import next_generation
from wavetank.apiserver.strategies.strategy import Document, WriteContext
from wavetank.cluster.quota.qos import quality_of_service

_DISABLED = ("resources", "allocatedResources", "extendedResourceClaimStatus")  # not enabled by default
_GATED = "Scheduling is blocked due to non-empty scheduling gates"


def prepare_pod(pod: Document, context: WriteContext) -> None:
    """Gives a new pod its status, and its label keys' values to the selectors that ask for them."""
    spec = pod["spec"]
    status: Document = {"phase": "Pending", "qosClass": quality_of_service(spec)}
    if spec.get("schedulingGates"):
        gated = {"type": "PodScheduled", "status": "False", "lastTransitionTime": context.now}
        status["conditions"] = [{**gated, "reason": "SchedulingGated", "message": _GATED}]
    pod["status"] = status
    labels = pod["metadata"].get("labels") or {}
    for term in _affinity_terms(spec.get("affinity") or {}):
        _apply_keys(term, "matchLabelKeys", "In", labels)
        _apply_keys(term, "mismatchLabelKeys", "NotIn", labels)
    for constraint in spec.get("topologySpreadConstraints") or ():
        _apply_keys(constraint, "matchLabelKeys", "In", labels)


def prepare_pod_status(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps what a kubelet may not change, or may forget to repeat."""
    _keep(new["metadata"], old["metadata"], "ownerReferences")
    for name in _DISABLED:
        if name not in old["status"]:
            new["status"].pop(name, None)
    status, before = new["status"], old["status"]
    for name in ("qosClass", "observedGeneration"):
        if not status.get(name) and before.get(name):
            status[name] = before[name]
    _keep_observed_generations(status.get("conditions") or (), before.get("conditions") or ())


def grace_period(pod: Document, asked_s: int | None) -> int:
    """Returns the seconds that a pod gets to end; 0 if no kubelet runs it. `asked_s` is the client's wish, if any."""
    phase = (pod.get("status") or {}).get("phase")
    if not pod["spec"].get("nodeName") or phase in ("Succeeded", "Failed"):
        return 0
    grace = asked_s if asked_s is not None else pod["spec"].get("terminationGracePeriodSeconds", 0)
    return int(grace) if grace >= 0 else 1


def prepare_ephemeral_containers(new: Document, old: Document, context: WriteContext) -> None:
    """Lets a write to the subresource ephemeralcontainers change nothing else."""
    containers = new["spec"].get("ephemeralContainers")
    new["spec"] = {name: each for name, each in old["spec"].items() if name != "ephemeralContainers"}
    if containers:
        new["spec"]["ephemeralContainers"] = containers
    new["status"] = old["status"]
    keep_metadata(new, old)
    count_generation(new, old, ("spec",))


def prepare_resize(new: Document, old: Document, context: WriteContext) -> None:
    """Lets a write to the subresource resize change only the resources of containers."""
    spec, before = new["spec"], old["spec"]
    lists = ("containers", "initContainers")
    if all(len(spec.get(name) or ()) == len(before.get(name) or ()) for name in lists):
        resized = {name: _resized(spec.get(name) or [], before.get(name) or []) for name in lists}
        new["spec"] = {**before, **{name: containers for name, containers in resized.items() if containers}}
        new["status"] = old["status"]
        keep_metadata(new, old)
    count_generation(new, old, ("spec",))


def keep_metadata(new: Document, old: Document) -> None:
    """Takes back what a write to a subresource may not change of the metadata."""
    for name in ("labels", "annotations", "finalizers", "ownerReferences", "generation", "deletionTimestamp"):
        _keep(new["metadata"], old["metadata"], name)


def count_generation(new: Document, old: Document, fields: Iterable[str]) -> None:
    """Begins a new generation if one of the fields has changed."""
    if any(new.get(name) != old.get(name) for name in fields):
        new["metadata"]["generation"] = next_generation(old["metadata"].get("generation"))


def _keep(new: Document, old: Document, name: str) -> None:
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)


def _resized(containers: list[Document], before: list[Document]) -> list[Document]:
    if any(new.get("name") != old.get("name") for new, old in zip(containers, before, strict=True)):
        return containers
    return [
        {**old, **{name: new[name] for name in ("resources", "resizePolicy") if name in new}}
        for new, old in zip(containers, before, strict=True)
    ]


def _keep_observed_generations(new: Iterable[Document], old: Iterable[Document]) -> None:
    generations: dict[str, list[int]] = {}
    for condition in old:
        generations.setdefault(condition.get("type", ""), []).append(condition.get("observedGeneration") or 0)
    for condition in new:
        of_type = generations.get(condition.get("type", ""))
        known = of_type.pop(0) if of_type else 0
        if known and not condition.get("observedGeneration"):
            condition["observedGeneration"] = known


def _affinity_terms(affinity: Document) -> Iterator[Document]:
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind) or {}
        for weighted in terms.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
            yield weighted.get("podAffinityTerm") or {}
        yield from terms.get("requiredDuringSchedulingIgnoredDuringExecution") or ()


def _apply_keys(term: Document, field: str, operator: str, labels: Document) -> None:
    selector: Any = term.get("labelSelector")
    for key in term.get(field) or ():
        if selector is not None and key in labels:
            requirement = {"key": key, "operator": operator, "values": [labels[key]]}
            selector.setdefault("matchExpressions", []).append(requirement)
