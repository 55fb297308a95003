"""The CustomResourceDefinitions of Karpenter, as far as they are simulated."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.karpenter import GROUP, VERSION

_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def definitions() -> list[dict[str, Any]]:
    """Returns the definitions of NodePool and NodeClaim."""
    return [_definition("NodePool", "nodepools"), _definition("NodeClaim", "nodeclaims")]


def _definition(kind: str, plural: str) -> dict[str, Any]:
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _OPEN, "status": _OPEN}}},
    }
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Cluster", "names": names, "versions": [version]},
    }
