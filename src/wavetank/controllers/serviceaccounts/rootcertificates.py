from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.serviceaccounts.pernamespace import PerNamespaceObject

_DESCRIPTION = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)


class RootCertificates(PerNamespaceObject):
    """The root-ca-certificate-publisher-controller: a ConfigMap `kube-root-ca.crt` in every namespace."""

    kind = "ConfigMap"
    name = "kube-root-ca.crt"

    def document(self) -> dict[str, Any]:
        """Returns the ConfigMap with the root certificate."""
        metadata = {"annotations": {"kubernetes.io/description": _DESCRIPTION}}
        return {**super().document(), "metadata": metadata, "data": {"ca.crt": self._context.root_certificate}}

    def _reconcile(self, present: Resource) -> None:
        wanted = self.document()
        annotations = {**present.annotations, **wanted["metadata"]["annotations"]}
        if present.manifest.get("data") != wanted["data"] or dict(present.annotations) != annotations:
            document = present.render()
            document["data"] = wanted["data"]
            document["metadata"] = {**document["metadata"], "annotations": annotations}
            self._context.client.update(present, document)
