"""Pods made from a template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.ownership import controller_reference

_LONGEST_NAME = 253


def pod_of(owner: Resource, template: Mapping[str, Any]) -> Document:
    """Returns the document of a pod that an owner creates from a template, with a generateName."""
    given = template.get("metadata") or {}
    prefix = f"{owner.name}-" if len(owner.name) < _LONGEST_NAME else owner.name
    metadata: Document = {"generateName": prefix, "namespace": owner.namespace}
    metadata |= {field: given[field] for field in ("labels", "annotations", "finalizers") if given.get(field)}
    metadata["ownerReferences"] = [controller_reference(owner)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}
