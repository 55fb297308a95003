"""Where an API server has the objects of each kind that the operator uses."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.batchoperator.resources.groups import GROUPS
from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION, NODE, POD, PRIORITY_CLASS, GroupKind

SPARK_APPLICATION = "SparkApplication.sparkoperator.k8s.io"
FLINK_CLUSTER = "FlinkCluster.flinkoperator.k8s.io"
FLINK_DEPLOYMENT = "FlinkDeployment.flink.apache.org"


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
    SPARK_APPLICATION: ServedKind("sparkoperator.k8s.io/v1beta2", "sparkapplications"),
    FLINK_CLUSTER: ServedKind("flinkoperator.k8s.io/v1beta1", "flinkclusters"),
    FLINK_DEPLOYMENT: ServedKind("flink.apache.org/v1beta1", "flinkdeployments"),
}
for _group in GROUPS:
    KINDS[_group.batchjob] = ServedKind(_group.api_version, "batchjobs")
    KINDS[_group.scheduling] = ServedKind(_group.api_version, "schedulings")
    KINDS[_group.testbed] = ServedKind(_group.api_version, _group.testbed_plural)
