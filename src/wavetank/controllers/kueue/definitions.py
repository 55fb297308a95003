"""The CustomResourceDefinitions of Kueue, as far as it is simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wavetank.cluster.objects.kueue import GROUP, VERSION

_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_AGE = ("Age", "date", ".metadata.creationTimestamp")
_PENDING = ("Pending Workloads", "integer", ".status.pendingWorkloads")
_ADMITTED = ("Admitted Workloads", "integer", ".status.admittedWorkloads")

_Columns = Sequence[tuple[str, str, str]]


def definitions() -> list[dict[str, Any]]:
    """Returns the definitions of all kinds of Kueue that are modelled."""
    by_type = ".status.conditions[?(@.type=='{}')].status"
    workload = (
        ("Queue", "string", ".spec.queueName"),
        ("Reserved in", "string", ".status.admission.clusterQueue"),
        ("Admitted", "string", by_type.format("Admitted")),
        ("Finished", "string", by_type.format("Finished")),
        _AGE,
    )
    queue = (("Cohort", "string", ".spec.cohortName"), _PENDING)
    local = (("ClusterQueue", "string", ".spec.clusterQueue"), _PENDING, _ADMITTED)
    return [
        _definition("ClusterQueue", "clusterqueues", queue, ("cq",)),
        _definition("LocalQueue", "localqueues", local, ("queue", "queues", "lq"), namespaced=True),
        _definition("Cohort", "cohorts", (_AGE,)),
        _definition("ResourceFlavor", "resourceflavors", (_AGE,), ("flavor", "flavors", "rf")),
        _definition("Topology", "topologies", (_AGE,)),
        _definition("Workload", "workloads", workload, ("wl",), namespaced=True),
        _definition("WorkloadPriorityClass", "workloadpriorityclasses", (("Value", "integer", ".value"),)),
        _definition("AdmissionCheck", "admissionchecks", (_AGE,)),
    ]


def _definition(
    kind: str, plural: str, columns: _Columns, short: Sequence[str] = (), namespaced: bool = False
) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": _OPEN, "status": _OPEN, "value": {"type": "integer"}}}
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
        "additionalPrinterColumns": [{"name": name, "type": type_, "jsonPath": path} for name, type_, path in columns],
    }
    names = {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": plural,
        "singular": kind.lower(),
        "shortNames": list(short),
    }
    scope = "Namespaced" if namespaced else "Cluster"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": scope, "names": names, "versions": [version]},
    }
