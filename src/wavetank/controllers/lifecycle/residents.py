"""What every namespace has: a service account, and the certificate by which pods know the API server."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.groupkinds import NAMESPACE
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key

_DESCRIPTION = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)


class _Residents:
    """Keeps one object of one kind in every namespace that is not on its way out."""

    table: str
    name: str

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._store.subscribe(NAMESPACE, added=lambda new: self.look_at(new.name))
        self._store.subscribe(self.table, self)
        for namespace in self._store.list(NAMESPACE):
            self.look_at(namespace.name)

    def document(self) -> dict[str, Any]:
        """Returns the object, all but where it stands."""
        return {"apiVersion": "v1", "kind": self.table}

    def look_at(self, namespace: str) -> None:
        """Asks for a namespace to be looked at."""
        self._queue.add(("", namespace))

    def added(self, new: Resource) -> None:
        """That one is as it should be, or somebody else's."""

    def modified(self, old: Resource, new: Resource) -> None:
        """Looks at the namespace of one that was changed."""
        if new.name == self.name:
            self.look_at(new.namespace)

    def deleted(self, old: Resource) -> None:
        """Looks at the namespace of one that is gone."""
        if old.name == self.name:
            self.look_at(old.namespace)

    def _sync(self, key: Key) -> None:
        namespace = self._store.find(NAMESPACE, *key)
        if namespace is None or namespace.deleted is not None:
            return
        present = self._store.find(self.table, namespace.name, self.name)
        if present is not None:
            self._mend(present)
            return
        document = self.document()
        document["metadata"] = {"name": self.name, "namespace": namespace.name, **document.get("metadata", {})}
        try:
            self._context.client.create(document)
        except ApiError as error:
            if error.code != AlreadyExistsError.code:
                raise

    def _mend(self, present: Resource) -> None:
        """Makes one that somebody has changed what it should be; a service account may be changed."""


class ServiceAccounts(_Residents):
    """The serviceaccount-controller: a service account `default` in every namespace."""

    table = "ServiceAccount"
    name = "default"


class RootCertificates(_Residents):
    """The root-ca-certificate-publisher-controller: a config map `kube-root-ca.crt` in every namespace."""

    table = "ConfigMap"
    name = "kube-root-ca.crt"

    def document(self) -> dict[str, Any]:
        """Returns the config map with the certificate."""
        metadata = {"annotations": {"kubernetes.io/description": _DESCRIPTION}}
        return {**super().document(), "metadata": metadata, "data": {"ca.crt": self._context.root_certificate}}

    def _mend(self, present: Resource) -> None:
        wanted = self.document()
        noted = {**present.annotations, **wanted["metadata"]["annotations"]}
        if present.manifest.get("data") != wanted["data"] or dict(present.annotations) != noted:
            document = present.render()
            document["data"] = wanted["data"]
            document["metadata"] = {**document["metadata"], "annotations": noted}
            self._context.client.update(present, document)
