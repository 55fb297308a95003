from __future__ import annotations

from typing import Any

from wavetank.cluster.sortedjson import encode_sorted

_DUPLICATES = (
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject "
    "such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
)


def drop_duplicate_owners(document: dict[str, Any]) -> list[str]:
    """Drops duplicate owner references from a document, in place; returns a warning if there were any."""
    owners = (document.get("metadata") or {}).get("ownerReferences") or []
    kept: dict[bytes, Any] = {}
    duplicates: dict[str, None] = {}
    for owner in owners:
        known = encode_sorted(owner)
        if known in kept:
            duplicates[str(owner.get("uid", ""))] = None
        else:
            kept[known] = owner
    if not duplicates:
        return []
    document["metadata"]["ownerReferences"] = list(kept.values())
    return [_DUPLICATES + ", ".join(duplicates)]
