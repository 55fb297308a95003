from __future__ import annotations

from typing import Any

Document = dict[str, Any]


def set_condition(document: Document, condition: Document, now: str) -> None:
    """Gives a pod a condition; the time of its last transition stays if it has the same status already."""
    status = document["status"] = dict(document.get("status") or {})
    conditions = list(status.get("conditions") or [])
    made = {"type": condition["type"], "status": condition["status"], "lastProbeTime": None, "lastTransitionTime": now}
    made |= {name: condition[name] for name in ("reason", "message") if condition.get(name)}
    for i, old in enumerate(conditions):
        if old["type"] == condition["type"]:
            if old.get("status") == condition["status"]:
                made["lastTransitionTime"] = old.get("lastTransitionTime")
            conditions[i] = made
            break
    else:
        conditions.append(made)
    status["conditions"] = conditions
