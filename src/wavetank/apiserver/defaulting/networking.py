"""Defaults of the groups networking.k8s.io and discovery.k8s.io."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, default, given, items, part


def default_network_policy(policy: Document) -> None:
    """Completes a network policy: it concerns ingress, and egress if it has rules for that."""
    spec = part(policy, "spec")
    default(spec, "policyTypes", ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"])
    for rule in [*items(spec, "ingress"), *items(spec, "egress")]:
        for port in items(rule, "ports"):
            default(port, "protocol", "TCP")


def default_ingress_class(ingress_class: Document) -> None:
    """Completes an ingress class."""
    for parameters in given(part(ingress_class, "spec"), "parameters"):
        default(parameters, "scope", "Cluster")


def default_endpoint_slice(endpoints: Document) -> None:
    """Completes a slice of endpoints."""
    for port in items(endpoints, "ports"):
        default(port, "name", "")
        default(port, "protocol", "TCP")
