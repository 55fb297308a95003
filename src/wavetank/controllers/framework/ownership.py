"""Owner references: which object an object belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource

Reference = Mapping[str, Any]


def controller_of(resource: Resource) -> Reference | None:
    """Returns the owner reference of the object that controls this one, or None."""
    references = (resource.manifest.get("metadata") or {}).get("ownerReferences")
    if references:
        for reference in references:
            if reference.get("controller"):
                found: Reference = reference
                return found
    return None


def is_controlled_by(resource: Resource, owner: Resource) -> bool:
    """Tells whether an object is controlled by that very owner."""
    reference = controller_of(resource)
    return reference is not None and reference.get("uid") == owner.uid


def controller_reference(owner: Resource) -> dict[str, Any]:
    """Returns the reference that a controller puts into what it makes for `owner`."""
    return {
        "apiVersion": owner.manifest.get("apiVersion", owner.api_version),
        "kind": owner.manifest_kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
