"""Owner references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource

Reference = Mapping[str, Any]


def controller_of(resource: Resource) -> Reference | None:
    """Returns the owner reference of an object's controller, or None."""
    references = (resource.manifest.get("metadata") or {}).get("ownerReferences")
    if references:
        for reference in references:
            if reference.get("controller"):
                found: Reference = reference
                return found
    return None


def is_controlled_by(resource: Resource, owner: Resource) -> bool:
    """Tells whether an object is controlled by this owner."""
    reference = controller_of(resource)
    return reference is not None and reference.get("uid") == owner.uid


def controller_reference(owner: Resource) -> dict[str, Any]:
    """Returns the owner reference that a controller sets in objects that it creates for `owner`."""
    return {
        "apiVersion": owner.manifest.get("apiVersion", owner.api_version),
        "kind": owner.manifest_kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
