"""The load of pods: which of them use how much, and what else is measured of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from wavetank.cluster.fields.selectors import EVERYTHING, LabelSelector
from wavetank.cluster.objects.pod import Pod
from wavetank.nodes.usage.series import Series


class Distribution(Enum):
    """What a series of a load is: the value of each pod, a total of which ready pods have equal parts, or a share."""

    EACH = "each"
    TOTAL = "total"
    SHARE = "share"  # of what the container requests


@dataclass(frozen=True, eq=False)
class Load:
    """What a metric of some pods is over time.

    `metric` is cpu, memory or the name of a custom metric. Resources are used by the `container`, by default the first
    one; the others use none. Of a total, pods that are not ready have `idle`, in thousandths. With `pods`, only pods
    of these names have it.
    """

    metric: str
    series: Series
    distribution: Distribution = Distribution.EACH
    namespace: str = "default"
    selector: LabelSelector = EVERYTHING
    container: str = ""
    idle: int = 0
    metric_labels: LabelSelector = EVERYTHING  # by which a custom metric is asked for
    pods: frozenset[str] = frozenset()

    def is_on(self, pod: Pod) -> bool:
        """Tells whether a pod has this load."""
        named = not self.pods or pod.name in self.pods
        return named and self.namespace == pod.namespace and self.selector.matches(pod.labels)


@dataclass(frozen=True, eq=False)
class ObjectMetric:
    """A custom metric of one object: `resource` is services, or ingresses.networking.k8s.io with its group."""

    metric: str
    resource: str
    name: str
    series: Series
    namespace: str = "default"
    metric_labels: LabelSelector = EVERYTHING


@dataclass(frozen=True, eq=False)
class ExternalMetric:
    """One series of an external metric; `labels` tell it from other series of the same name."""

    metric: str
    series: Series
    labels: dict[str, str] = field(default_factory=dict)
    namespace: str | None = None  # None: the same in all namespaces
