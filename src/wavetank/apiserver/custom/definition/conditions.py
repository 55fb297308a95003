"""Conditions of a CustomResourceDefinition."""

from __future__ import annotations

from wavetank.apiserver.custom.schema.structural import Document

NAMES_ACCEPTED, ESTABLISHED, TERMINATING = "NamesAccepted", "Established", "Terminating"
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"  # the finalizer of definitions that have objects
APPROVED = "KubernetesAPIApprovalPolicyConformant"


def condition_of(definition: Document, name: str) -> Document | None:
    """Returns a condition, or None."""
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == name), None)


def is_true(definition: Document, name: str) -> bool:
    """Says whether a condition is there and true."""
    found = condition_of(definition, name)
    return found is not None and found["status"] == "True"


def condition(name: str, status: str, reason: str, message: str) -> Document:
    """Returns a condition without its time."""
    return {"type": name, "status": status, "reason": reason, "message": message}


MARKED = condition(
    TERMINATING,
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)


def with_conditions(definition: Document, now: str, *news: Document) -> Document:
    """Returns a definition with conditions set; the time of one changes with its status only."""
    status = dict(definition.get("status") or {})
    conditions = list(status.get("conditions") or ())
    for new in news:
        place = next((i for i, each in enumerate(conditions) if each["type"] == new["type"]), None)
        if place is None:
            conditions.append({**new, "lastTransitionTime": now})
            continue
        old = conditions[place]
        time = old.get("lastTransitionTime") if old["status"] == new["status"] else now
        conditions[place] = {**old, **new, "lastTransitionTime": time or now}
    return {**definition, "status": {**status, "conditions": conditions}}
