from __future__ import annotations

from typing import Any

_TWINS = (
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject "
    "such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
)


def without_twins(document: dict[str, Any]) -> list[str]:
    """Takes owner references that stand there twice out of a document; returns a warning if there were any."""
    owners = (document.get("metadata") or {}).get("ownerReferences") or []
    kept: list[Any] = []
    twins: dict[str, None] = {}
    for owner in owners:
        if owner in kept:
            twins[str(owner.get("uid", ""))] = None
        else:
            kept.append(owner)
    if not twins:
        return []
    document["metadata"]["ownerReferences"] = kept
    return [_TWINS + ", ".join(twins)]
