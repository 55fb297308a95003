"""Where an API server has the objects of each kind that the operator uses."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.batchoperator.resources.applications import (
    FLINK_CLUSTER,
    FLINK_CLUSTER_VERSION,
    FLINK_DEPLOYMENT,
    FLINK_DEPLOYMENT_VERSION,
    SPARK_APPLICATION,
    SPARK_VERSION,
)
from wavetank.batchoperator.resources.groups import GROUPS
from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION, NODE, POD, PRIORITY_CLASS, GroupKind


@dataclass(frozen=True)
class ServedKind:
    """The apiVersion and the plural of a kind."""

    api_version: str
    plural: str
    namespaced: bool = True

    def collection(self, namespace: str | None = None) -> str:
        """Returns the path of its objects, in one namespace or in all."""
        root = "/api/" if "/" not in self.api_version else "/apis/"
        inside = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{self.api_version}{inside}/{self.plural}"


KINDS: dict[GroupKind, ServedKind] = {
    POD: ServedKind("v1", "pods"),
    NODE: ServedKind("v1", "nodes", namespaced=False),
    PRIORITY_CLASS: ServedKind("scheduling.k8s.io/v1", "priorityclasses", namespaced=False),
    CUSTOM_RESOURCE_DEFINITION: ServedKind("apiextensions.k8s.io/v1", "customresourcedefinitions", namespaced=False),
    SPARK_APPLICATION: ServedKind(SPARK_VERSION, "sparkapplications"),
    FLINK_CLUSTER: ServedKind(FLINK_CLUSTER_VERSION, "flinkclusters"),
    FLINK_DEPLOYMENT: ServedKind(FLINK_DEPLOYMENT_VERSION, "flinkdeployments"),
}
for _group in GROUPS:
    KINDS[_group.batchjob] = ServedKind(_group.api_version, "batchjobs")
    KINDS[_group.scheduling] = ServedKind(_group.api_version, "schedulings")
    KINDS[_group.testbed] = ServedKind(_group.api_version, _group.testbed_plural)
