"""The rows of what governs a cluster: budgets, priorities, roles, webhooks, flow control, leases, devices."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.tables.cells import (
    NONE,
    UNSET,
    Cells,
    Document,
    age,
    condition_of,
    dig,
    human_duration,
    items_at,
    name_of,
    number_at,
    terminating,
    text_at,
)


def pod_disruption_budget(document: Document, now: float) -> Cells:
    """Prints a PodDisruptionBudget."""
    bounds = [dig(document, "spec", field) for field in ("minAvailable", "maxUnavailable")]
    cells = ["N/A" if bound is None else str(bound) for bound in bounds]
    return [name_of(document), *cells, number_at(document, "status", "disruptionsAllowed"), age(document, now)]


def priority_class(document: Document, now: float) -> Cells:
    """Prints a PriorityClass."""
    default = bool(dig(document, "globalDefault"))
    cells = [name_of(document), number_at(document, "value"), default, age(document, now)]
    return [*cells, text_at(document, "preemptionPolicy")]


def runtime_class(document: Document, now: float) -> Cells:
    """Prints a RuntimeClass."""
    return [name_of(document), text_at(document, "handler"), age(document, now)]


def lease(document: Document, now: float) -> Cells:
    """Prints a Lease."""
    return [name_of(document), text_at(document, "spec", "holderIdentity"), age(document, now)]


def role_binding(document: Document, now: float) -> Cells:
    """Prints a RoleBinding or a ClusterRoleBinding."""
    role = f"{text_at(document, 'roleRef', 'kind')}/{text_at(document, 'roleRef', 'name')}"
    subjects: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in items_at(document, "subjects"):
        kind, name = text_at(subject, "kind"), text_at(subject, "name")
        prefix = f"{text_at(subject, 'namespace')}/" if kind == "ServiceAccount" else ""
        subjects.get(kind, []).append(f"{prefix}{name}")
    return [name_of(document), role, age(document, now), *(", ".join(names) for names in subjects.values())]


def signing_request(document: Document, now: float) -> Cells:
    """Prints a CertificateSigningRequest."""
    spec, seconds = dig(document, "spec"), dig(document, "spec", "expirationSeconds")
    duration = NONE if seconds is None else human_duration(seconds)
    cells = [name_of(document), age(document, now), text_at(spec, "signerName", default=NONE)]
    return [*cells, text_at(spec, "username"), duration, _signing_state(document)]


def _signing_state(document: Document) -> str:
    types = {text_at(one, "type") for one in items_at(document, "status", "conditions")}
    state = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    failed = ",Failed" if "Failed" in types else ""
    return state + failed + (",Issued" if text_at(document, "status", "certificate") else "")


def webhooks(document: Document, now: float) -> Cells:
    """Prints a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration."""
    return [name_of(document), len(items_at(document, "webhooks")), age(document, now)]


def admission_policy(document: Document, now: float) -> Cells:
    """Prints a ValidatingAdmissionPolicy."""
    kind = dig(document, "spec", "paramKind")
    cell = UNSET if kind is None else f"{text_at(kind, 'apiVersion')}/{text_at(kind, 'kind')}"
    return [name_of(document), len(items_at(document, "spec", "validations")), cell, age(document, now)]


def admission_policy_binding(document: Document, now: float) -> Cells:
    """Prints a ValidatingAdmissionPolicyBinding."""
    parameter = _parameter(dig(document, "spec", "paramRef"))
    return [name_of(document), text_at(document, "spec", "policyName"), parameter, age(document, now)]


def _parameter(reference: Any) -> str:
    if text_at(reference, "name"):
        return f"{text_at(reference, 'namespace', default='*')}/{text_at(reference, 'name')}"
    selector = dig(reference, "selector")
    return UNSET if selector is None else _go_selector(selector)


def _go_selector(selector: Document) -> str:
    """Writes a label selector as Go prints the struct, which is what upstream shows here."""
    labels = "".join(f"{key}: {value}," for key, value in sorted((dig(selector, "matchLabels") or {}).items()))
    words = []
    for one in items_at(selector, "matchExpressions"):
        values = " ".join(items_at(one, "values"))
        key, operator = text_at(one, "key"), text_at(one, "operator")
        words.append(f"LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
    expressions = f"[]LabelSelectorRequirement{{{''.join(words)}}}"
    return f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:{expressions},}}"


def flow_schema(document: Document, now: float) -> Cells:
    """Prints a FlowSchema."""
    spec, dangling = dig(document, "spec"), condition_of(document, "Dangling")
    method = dig(spec, "distinguisherMethod")
    cells: Cells = [name_of(document), text_at(spec, "priorityLevelConfiguration", "name")]
    cells += [number_at(spec, "matchingPrecedence"), NONE if method is None else text_at(method, "type")]
    return [*cells, age(document, now), "?" if dangling is None else text_at(dangling, "status")]


def flow_schema_order(document: Document) -> tuple[int, str]:
    """Returns what FlowSchemas are sorted by in a Table: precedence, then name."""
    return number_at(document, "spec", "matchingPrecedence"), name_of(document)


def priority_level(document: Document, now: float) -> Cells:
    """Prints a PriorityLevelConfiguration."""
    limited = dig(document, "spec", "limited")
    queuing = dig(limited, "limitResponse", "queuing")
    shares = NONE if limited is None else number_at(limited, "nominalConcurrencyShares")
    fields = ("queues", "handSize", "queueLengthLimit")
    queues = [NONE if queuing is None else number_at(queuing, field) for field in fields]
    return [name_of(document), text_at(document, "spec", "type"), shares, *queues, age(document, now)]


def resource_claim(document: Document, now: float) -> Cells:
    """Prints a ResourceClaim."""
    allocated = dig(document, "status", "allocation") is not None
    states = ["deleted"] if terminating(document) else [] if allocated else ["pending"]
    if allocated:
        states += ["allocated", *(["reserved"] if items_at(document, "status", "reservedFor") else [])]
    return [name_of(document), ",".join(states), age(document, now)]


def resource_slice(document: Document, now: float) -> Cells:
    """Prints a ResourceSlice."""
    spec = dig(document, "spec")
    cells = [name_of(document), text_at(spec, "nodeName"), text_at(spec, "driver"), text_at(spec, "pool", "name")]
    return [*cells, age(document, now)]
