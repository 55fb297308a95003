"""Defaults of the group resource.k8s.io."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, default, given, items, optional, part


def default_resource_claim(claim: Document) -> None:
    """Completes a claim of devices."""
    _default_spec(part(claim, "spec"))
    for result in items(optional(claim, "status", "allocation", "devices"), "results"):
        _default_tolerations(result)


def default_resource_claim_template(template: Document) -> None:
    """Completes a template of claims."""
    _default_spec(part(part(template, "spec"), "spec"))


def _default_spec(spec: Document) -> None:
    for request in items(optional(spec, "devices"), "requests"):
        for choice in [*given(request, "exactly"), *items(request, "firstAvailable")]:
            if default(choice, "allocationMode", "ExactCount") == "ExactCount":
                default(choice, "count", 1)
            _default_tolerations(choice)


def _default_tolerations(owner: Document) -> None:
    for toleration in items(owner, "tolerations"):
        default(toleration, "operator", "Equal")
