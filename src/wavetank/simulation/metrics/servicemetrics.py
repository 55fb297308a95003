from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.metricsclient import PodMetrics
from wavetank.nodes.usage.usage import Used, container_names
from wavetank.simulation.metrics.clustermetrics import ClusterMetrics
from wavetank.simulation.metrics.setting import MetricsSetting

CpuOf = Callable[[str, str], int | None]


class ServiceMetrics(ClusterMetrics):
    """The metrics of a cluster with services: their pods use the CPU that requests take.

    `cpu_of` returns what the pod of a namespace and name uses, in thousandths of a core; None if it serves nothing.
    """

    def __init__(self, store: Store, setting: MetricsSetting | None, cpu_of: CpuOf) -> None:
        super().__init__(store, setting)
        self._cpu_of = cpu_of

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        """Returns what the selected pods use."""
        answer = super().resource_metric(resource, namespace, selector, container)
        if resource != CPU:
            return answer
        used = [self._cpu_of(namespace, name) for name in answer.names]
        values = [value if cpu is None else cpu for value, cpu in zip(answer.values, used, strict=True)]
        return answer._replace(values=values)

    def container(self, pod: Pod, name: str) -> Used:
        """Returns the usage of one container of a running pod; the first one serves."""
        used = super().container(pod, name)
        cpu = self._cpu_of(pod.namespace, pod.name) if name == container_names(pod)[0] else None
        return used if cpu is None else used._replace(cpu=cpu)
