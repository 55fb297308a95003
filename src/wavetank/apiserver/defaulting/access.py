"""Defaults of the groups rbac, scheduling and flowcontrol."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, default, fill, given, items, part

_RBAC = "rbac.authorization.k8s.io"


def default_binding(binding: Document) -> None:
    """Completes a binding of a role."""
    role = part(binding, "roleRef")
    role["apiGroup"] = role.get("apiGroup") or _RBAC
    for subject in items(binding, "subjects"):
        if subject.get("kind") in ("User", "Group"):
            default(subject, "apiGroup", _RBAC)


def default_priority_class(priority_class: Document) -> None:
    """Completes a priority class."""
    default(priority_class, "preemptionPolicy", "PreemptLowerPriority")


def default_flow_schema(schema: Document) -> None:
    """Completes a flow schema."""
    spec = part(schema, "spec")
    spec["matchingPrecedence"] = spec.get("matchingPrecedence") or 1000


def default_priority_level(level: Document) -> None:
    """Completes a priority level of requests."""
    spec = part(level, "spec")
    for exempt in given(spec, "exempt"):
        fill(exempt, nominalConcurrencyShares=0, lendablePercent=0)
    for limited in given(spec, "limited"):
        fill(limited, nominalConcurrencyShares=30, lendablePercent=0)
        for queuing in given(part(limited, "limitResponse"), "queuing"):
            for name in ("handSize", "queues", "queueLengthLimit"):
                if not queuing.get(name):
                    queuing.pop(name, None)
            fill(queuing, handSize=8, queues=64, queueLengthLimit=50)
