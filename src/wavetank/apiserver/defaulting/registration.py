"""Defaults of what extends the API: webhooks, admission policies, API services."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, given, items, optional, part


def default_validating_webhooks(configuration: Document) -> None:
    """Completes webhooks that validate."""
    for webhook in items(configuration, "webhooks"):
        _default_webhook(webhook)


def default_mutating_webhooks(configuration: Document) -> None:
    """Completes webhooks that change objects."""
    for webhook in items(configuration, "webhooks"):
        _default_webhook(webhook)
        webhook.setdefault("reinvocationPolicy", "Never")


def default_admission_policy(policy: Document) -> None:
    """Completes an admission policy."""
    spec = part(policy, "spec")
    spec.setdefault("failurePolicy", "Fail")
    for resources in given(spec, "matchConstraints"):
        _default_match(resources)


def default_admission_policy_binding(binding: Document) -> None:
    """Completes the binding of an admission policy."""
    for resources in given(part(binding, "spec"), "matchResources"):
        _default_match(resources)


def default_api_service(service: Document) -> None:
    """Completes the registration of an API."""
    for reference in given(part(service, "spec"), "service"):
        reference.setdefault("port", 443)


def _default_webhook(webhook: Document) -> None:
    webhook.setdefault("failurePolicy", "Fail")
    webhook.setdefault("timeoutSeconds", 10)
    _default_selectors(webhook)
    for reference in given(optional(webhook, "clientConfig"), "service"):
        reference.setdefault("port", 443)
    for rule in items(webhook, "rules"):
        rule.setdefault("scope", "*")


def _default_match(resources: Document) -> None:
    _default_selectors(resources)
    for rule in [*items(resources, "resourceRules"), *items(resources, "excludeResourceRules")]:
        rule.setdefault("scope", "*")


def _default_selectors(owner: Document) -> None:
    owner.setdefault("matchPolicy", "Equivalent")
    owner.setdefault("namespaceSelector", {})
    owner.setdefault("objectSelector", {})
