"""Built-in controllers under audit: their calls as the requests that a real one would make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from wavetank.apiserver.kinds import KindTable
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.controllers.framework.client import Client, Document
from wavetank.controllers.framework.metricsclient import (
    MetricsClient,
    ObjectReference,
    PodMetrics,
    unavailable,
)
from wavetank.simulation.served.faults import RefusedError
from wavetank.testing.scripted.audit import Audit
from wavetank.testing.scripted.paths import path_of

T = TypeVar("T")

_CUSTOM = "/apis/custom.metrics.k8s.io/v1beta2"


class AuditedClient:
    """The client of built-in controllers, whose calls are audited."""

    def __init__(self, client: Client, kinds: KindTable, audit: Audit) -> None:
        self._client = client
        self._kinds = kinds
        self._call = audit.call

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Creates an object."""
        metadata = document.get("metadata") or {}
        path = self._path(document, str(metadata.get("namespace") or "default"))
        return self._call("POST", path, document, lambda: self._client.create(document, name))

    def update(self, old: Resource, document: Document) -> Resource:
        """Replaces an object."""
        return self._call("PUT", self._path_of(old), document, lambda: self._client.update(old, document))

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Replaces the status of an object."""
        path, body = self._path_of(old, "status"), {"status": status}
        return self._call("PUT", path, body, lambda: self._client.update_status(old, status, annotations))

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Deletes an object."""
        self._call("DELETE", self._path_of(old), None, lambda: self._client.delete(old, grace_s, policy))

    def finalize(self, old: Resource, document: Document) -> None:
        """Replaces the finalizers of a namespace."""
        self._call("PUT", self._path_of(old, "finalize"), document, lambda: self._client.finalize(old, document))

    def get_scale(self, group: str, kind: str, namespace: str, name: str) -> Scale:
        """Reads the scale of an object; for a kind that is not served no request would be made."""
        served = next((each for each in self._kinds if (each.group, each.kind) == (group, kind)), None)
        if served is None:
            return self._client.get_scale(group, kind, namespace, name)
        path = path_of(served, namespace, name, "scale")
        return self._call("GET", path, None, lambda: self._client.get_scale(group, kind, namespace, name))

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Writes the scale of an object."""
        path, body = self._path_of(scale.of, "scale"), {"spec": {"replicas": replicas}}
        self._call("PUT", path, body, lambda: self._client.update_scale(scale, replicas))

    def _path_of(self, old: Resource, subresource: str = "") -> str:
        return self._path(old.render(), old.namespace, old.name, subresource)

    def _path(self, document: Mapping[str, Any], namespace: str, name: str = "", subresource: str = "") -> str:
        kind = self._kinds.named(str(document.get("apiVersion")), str(document.get("kind")))
        return "" if kind is None else path_of(kind, namespace, name, subresource)


class AuditedMetrics:
    """The metrics APIs as the built-in autoscaler asks them, audited."""

    def __init__(self, metrics: MetricsClient, resource_of: Callable[[str], str], audit: Audit) -> None:
        self._metrics = metrics
        self._resource_of = resource_of
        self._audit = audit

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        """Returns what the selected pods use."""
        path = f"/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods"
        return self._get(
            "resource", path, lambda: self._metrics.resource_metric(resource, namespace, selector, container)
        )

    def pods_metric(
        self, metric: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> PodMetrics:
        """Returns a custom metric of the selected pods."""
        path = f"{_CUSTOM}/namespaces/{namespace}/pods/*/{metric}"
        return self._get(
            "custom", path, lambda: self._metrics.pods_metric(metric, namespace, selector, metric_selector)
        )

    def object_metric(
        self, metric: str, namespace: str, described: ObjectReference, metric_selector: LabelSelector
    ) -> int:
        """Returns a custom metric of one object."""
        group = described.api_version.rpartition("/")[0]
        resource = self._resource_of(f"{described.kind}.{group}" if group else described.kind)
        of = "metrics" if resource == "namespaces" else f"{resource}/{described.name}"
        path = f"{_CUSTOM}/namespaces/{namespace}/{of}/{metric}"
        return self._get(
            "custom", path, lambda: self._metrics.object_metric(metric, namespace, described, metric_selector)
        )

    def external_metric(self, metric: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        """Returns the values of an external metric."""
        path = f"/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}/{metric}"
        return self._get("external", path, lambda: self._metrics.external_metric(metric, namespace, metric_selector))

    def _get(self, api: str, path: str, ask: Callable[[], T]) -> T:
        try:
            return self._audit.call("GET", path, None, ask)
        except RefusedError as error:
            raise unavailable(api, str(error), error.code) from None
