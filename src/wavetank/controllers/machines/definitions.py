"""The CustomResourceDefinitions of Cluster API, as far as they are simulated."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.clusterapi import GROUP, VERSION

_SCALE = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.selector",
}
_AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
_DESIRED = {"name": "Desired", "type": "integer", "jsonPath": ".spec.replicas"}
_REPLICAS = {"name": "Replicas", "type": "integer", "jsonPath": ".status.replicas"}
_READY = {"name": "Ready", "type": "integer", "jsonPath": ".status.readyReplicas"}
_AVAILABLE = {"name": "Available", "type": "integer", "jsonPath": ".status.availableReplicas"}
_COLUMNS = {
    "MachineDeployment": [_DESIRED, _REPLICAS, _READY, _AVAILABLE, _AGE],
    "MachineSet": [_DESIRED, _REPLICAS, _READY, _AVAILABLE, _AGE],
    "Machine": [
        {"name": "NodeName", "type": "string", "jsonPath": ".status.nodeRef.name"},
        {"name": "ProviderID", "type": "string", "jsonPath": ".spec.providerID"},
        {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
        _AGE,
    ],
}
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def definitions() -> list[dict[str, Any]]:
    """Returns the definitions of MachineDeployment, MachineSet and Machine."""
    return [
        _definition("MachineDeployment", "machinedeployments", "md", scales=True),
        _definition("MachineSet", "machinesets", "ms", scales=True),
        _definition("Machine", "machines", "ma", scales=False),
    ]


def _definition(kind: str, plural: str, short: str, scales: bool) -> dict[str, Any]:
    subresources: dict[str, Any] = {"status": {}}
    if scales:
        subresources["scale"] = _SCALE
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower(), "shortNames": [short]}
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": subresources,
        "additionalPrinterColumns": _COLUMNS[kind],
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _OPEN, "status": _OPEN}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }
