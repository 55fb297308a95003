from __future__ import annotations

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.errors import not_found
from wavetank.cluster.objects.groupkinds import NAMESPACE

_IMMORTAL = frozenset({"default", "kube-system", "kube-public"})


class NamespaceLifecycle(Plugin):
    """Refuses objects in namespaces that do not exist or are being deleted, and protects the system's namespaces."""

    name = "NamespaceLifecycle"

    def mutate(self, attributes: Attributes) -> None:
        """Refuses an object whose namespace does not exist or is being deleted."""
        if attributes.kind.group_kind == "Namespace" or not attributes.namespace or attributes.operation == "DELETE":
            return
        namespace = self.store.find(NAMESPACE, "", attributes.namespace)
        if namespace is None:
            raise not_found("namespaces", attributes.namespace)
        terminating = (namespace.manifest.get("status") or {}).get("phase") == "Terminating"
        if attributes.operation == "CREATE" and terminating:
            name = attributes.namespace
            why = f"unable to create new content in namespace {name} because it is being terminated"
            error = attributes.refused(why)
            message = f"namespace {name} is being terminated"
            cause = {"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"}
            error.details = {**(error.details or {}), "causes": [cause]}
            raise error

    def validate(self, attributes: Attributes) -> None:
        """Refuses to delete the system's namespaces."""
        if attributes.is_write_of("Namespace", "DELETE") and attributes.name in _IMMORTAL:
            raise attributes.refused("this namespace may not be deleted")
