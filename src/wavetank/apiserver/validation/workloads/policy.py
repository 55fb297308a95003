"""Disruption budgets, priority classes, runtime classes and leases."""

from __future__ import annotations

import re

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, too_long, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.amounts import check_amount_or_percentage, check_at_most_all
from wavetank.apiserver.validation.errors import (
    Document,
    Errors,
    check_choice,
    check_immutable,
    check_not_negative,
    each_invalid,
    structs,
)
from wavetank.apiserver.validation.metadata import check_labels, check_metadata, check_metadata_update, check_selector
from wavetank.apiserver.validation.pods.placement import check_tolerations
from wavetank.apiserver.validation.quantities import check_requirements
from wavetank.cluster.rules.admission import SYSTEM_PRIORITIES

_HIGHEST_PRIORITY = 1_000_000_000
_EVICTIONS = ("AlwaysAllow", "IfHealthyBudget")
_REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_NOT_A_REASON = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric"
    " characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or"
    f" 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '{_REASON}')"
)


def check_budget(budget: Document) -> Errors:
    """Checks a disruption budget."""
    spec = budget["spec"]
    if "minAvailable" in spec and "maxUnavailable" in spec:
        shown = internal("policy.PodDisruptionBudgetSpec", spec)
        yield invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set")
    for name in ("minAvailable", "maxUnavailable"):
        if name in spec:
            yield from check_amount_or_percentage(spec[name], f"spec.{name}")
            yield from check_at_most_all(spec[name], f"spec.{name}")
    yield from check_selector(spec.get("selector"), "spec.selector")
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _EVICTIONS:
        yield unsupported("spec.unhealthyPodEvictionPolicy", policy, _EVICTIONS)


def check_budget_update(new: Document, old: Document) -> Errors:
    """Checks a changed disruption budget."""
    return check_budget(new)


def check_budget_status_update(new: Document, old: Document) -> Errors:
    """Checks the status of a disruption budget."""
    status = new.get("status") or {}
    yield from check_conditions(status, "status")
    for name in ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"):
        yield from check_not_negative(f"status.{name}", status.get(name))


def check_conditions(status: Document, path: str) -> Errors:
    """Checks conditions of the common form."""
    seen: set[str] = set()
    for where, condition in structs(status, path, "conditions"):
        kind = condition.get("type") or ""
        if kind in seen:
            yield duplicate(f"{where}.type", kind)
        seen.add(kind)
        yield from each_invalid(f"{where}.type", kind, names.label_key_problems(kind))
        if condition.get("status") not in ("False", "True", "Unknown"):
            yield unsupported(f"{where}.status", condition.get("status") or "", ("False", "True", "Unknown"))
        if (condition.get("observedGeneration") or 0) < 0:
            problem = "must be greater than or equal to zero"
            yield invalid(f"{where}.observedGeneration", condition["observedGeneration"], problem)
        if not condition.get("lastTransitionTime"):
            yield required(f"{where}.lastTransitionTime")
        yield from _check_reason(condition.get("reason") or "", f"{where}.reason")


def check_priority_class(priority_class: Document) -> Errors:
    """Checks a new priority class."""
    yield from check_metadata(priority_class["metadata"], False, names.subdomain_problems)
    name, value = priority_class["metadata"].get("name", ""), priority_class.get("value") or 0
    if name.startswith("system-"):
        problem = _system_problem(name, value, bool(priority_class.get("globalDefault")))
        if problem:
            reserved = "priority class names with 'system-' prefix are reserved for system use only."
            yield forbidden("metadata.name", f"{reserved} error: {problem}")
    elif value > _HIGHEST_PRIORITY:
        yield forbidden("value", f"maximum allowed value of a user defined priority is {_HIGHEST_PRIORITY}")
    if priority_class.get("preemptionPolicy") is not None:
        policies = ("PreemptLowerPriority", "Never")
        yield from check_choice("preemptionPolicy", priority_class["preemptionPolicy"], policies)


def check_priority_class_update(new: Document, old: Document) -> Errors:
    """Checks a changed priority class: pods have its value already."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    if new.get("value") != old.get("value"):
        yield forbidden("value", "may not be changed in an update.")
    yield from check_immutable("preemptionPolicy", new.get("preemptionPolicy"), old.get("preemptionPolicy"))


def check_runtime_class(runtime: Document) -> Errors:
    """Checks a runtime class."""
    yield from check_metadata(runtime["metadata"], False, names.subdomain_problems)
    handler = runtime.get("handler") or ""
    yield from each_invalid("handler", handler, names.label_problems(handler))
    if runtime.get("overhead") is not None:
        yield from check_requirements({"limits": runtime["overhead"].get("podFixed") or {}}, "overhead")
    scheduling = runtime.get("scheduling") or {}
    yield from check_labels(scheduling.get("nodeSelector"), "scheduling.nodeSelector")
    tolerations = scheduling.get("tolerations") or []
    yield from check_tolerations(tolerations, "scheduling.tolerations")
    keys = [{k: v for k, v in one.items() if k != "tolerationSeconds"} for one in tolerations]
    for index, toleration in enumerate(tolerations):
        if keys[index] in keys[:index]:
            yield duplicate(f"scheduling.tolerations[{index}]", internal("core.Toleration", toleration))


def check_runtime_class_update(new: Document, old: Document) -> Errors:
    """Checks a changed runtime class: its handler may not change."""
    yield from check_runtime_class(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_immutable("handler", new.get("handler") or "", old.get("handler") or "")


def check_lease(lease: Document) -> Errors:
    """Checks a new lease."""
    yield from check_metadata(lease["metadata"], True, names.subdomain_problems, core=False)
    yield from _check_lease_spec(lease.get("spec") or {})


def check_lease_update(new: Document, old: Document) -> Errors:
    """Checks a changed lease."""
    yield from check_metadata_update(new["metadata"], old["metadata"], core=False)
    yield from _check_lease_spec(new.get("spec") or {})


def _check_lease_spec(spec: Document) -> Errors:
    seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if seconds is not None and seconds <= 0:
        yield invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")
    if transitions is not None and transitions < 0:
        yield invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")


def _check_reason(reason: str, path: str) -> Errors:
    if not reason:
        yield required(path)
        return
    if not re.fullmatch(_REASON, reason):
        yield invalid(path, reason, _NOT_A_REASON)
    if len(reason) > 1024:
        yield too_long(path, 1024)


def _system_problem(name: str, value: int, default: bool) -> str:
    if name not in SYSTEM_PRIORITIES:
        return f"{name} is not a known system priority class"
    if SYSTEM_PRIORITIES[name] != value:
        return f"value of {name} PriorityClass must be {SYSTEM_PRIORITIES[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if default else ""
