from __future__ import annotations

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.plugin import Plugin

_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


class TaintNodesByCondition(Plugin):
    """Taints new nodes as not ready, so that no pods run there until the node controller removes the taint."""

    name = "TaintNodesByCondition"

    def mutate(self, attributes: Attributes) -> None:
        """Taints a new node."""
        if not attributes.is_write_of("Node", "CREATE"):
            return
        spec = attributes.document.setdefault("spec", {})
        taints = spec.get("taints") or []
        if not any(_NOT_READY.items() <= taint.items() for taint in taints):
            spec["taints"] = [*taints, dict(_NOT_READY)]


class DefaultIngressClass(Plugin):
    """Gives an ingress that names no class the default one."""

    name = "DefaultIngressClass"

    def mutate(self, attributes: Attributes) -> None:
        """Completes a new ingress; refuses it if there are several default classes of the same age."""
        if not attributes.is_write_of("Ingress.networking.k8s.io", "CREATE"):
            return
        document = attributes.document
        annotated = "kubernetes.io/ingress.class" in (document["metadata"].get("annotations") or {})
        if annotated or document["spec"].get("ingressClassName") is not None:
            return
        key = "ingressclass.kubernetes.io/is-default-class"
        classes = self.store.list("IngressClass.networking.k8s.io")
        defaults = [one for one in classes if one.annotations.get(key) == "true"]
        if defaults:
            newest = min(defaults, key=lambda one: (-one.created, one.name))
            document["spec"]["ingressClassName"] = newest.name
