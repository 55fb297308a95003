"""Open definitions of Spark and Flink applications, for clusters without their operators."""

from __future__ import annotations

from typing import Any

from wavetank.batchoperator.resources.applications import (
    FLINK_CLUSTER_VERSION,
    FLINK_DEPLOYMENT_VERSION,
    SPARK_VERSION,
)

_APPROVED = "api-approved.kubernetes.io"  # required of groups below k8s.io
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_KINDS = {
    "SparkApplication": (SPARK_VERSION, "sparkapplications", ".status.applicationState.state"),
    "FlinkCluster": (FLINK_CLUSTER_VERSION, "flinkclusters", ".status.state"),
    "FlinkDeployment": (FLINK_DEPLOYMENT_VERSION, "flinkdeployments", ".status.jobStatus.state"),
}


def application_definitions() -> list[dict[str, Any]]:
    """Returns definitions that accept any spec and status."""
    return [_definition(kind, *where) for kind, where in _KINDS.items()]


def _definition(kind: str, api_version: str, plural: str, state: str) -> dict[str, Any]:
    group, _, version = api_version.partition("/")
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _OPEN, "status": _OPEN}}},
        "additionalPrinterColumns": [{"name": "State", "type": "string", "jsonPath": state}],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}", "annotations": {_APPROVED: "unapproved, for simulated applications"}},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [served]},
    }
