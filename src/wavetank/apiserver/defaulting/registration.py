"""Defaults of what extends the API: webhooks, admission policies, API services."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, default, given, items, optional, part


def default_validating_webhooks(configuration: Document) -> None:
    """Completes webhooks that validate."""
    for webhook in items(configuration, "webhooks"):
        _default_webhook(webhook)


def default_mutating_webhooks(configuration: Document) -> None:
    """Completes webhooks that change objects."""
    for webhook in items(configuration, "webhooks"):
        _default_webhook(webhook)
        default(webhook, "reinvocationPolicy", "Never")


def default_admission_policy(policy: Document) -> None:
    """Completes an admission policy."""
    spec = part(policy, "spec")
    default(spec, "failurePolicy", "Fail")
    for resources in given(spec, "matchConstraints"):
        _default_match(resources)


def default_admission_policy_binding(binding: Document) -> None:
    """Completes the binding of an admission policy."""
    for resources in given(part(binding, "spec"), "matchResources"):
        _default_match(resources)


def default_api_service(service: Document) -> None:
    """Completes the registration of an API."""
    for reference in given(part(service, "spec"), "service"):
        default(reference, "port", 443)


def _default_webhook(webhook: Document) -> None:
    default(webhook, "failurePolicy", "Fail")
    default(webhook, "timeoutSeconds", 10)
    _default_selectors(webhook)
    for reference in given(optional(webhook, "clientConfig"), "service"):
        default(reference, "port", 443)
    for rule in items(webhook, "rules"):
        default(rule, "scope", "*")


def _default_match(resources: Document) -> None:
    _default_selectors(resources)
    for rule in [*items(resources, "resourceRules"), *items(resources, "excludeResourceRules")]:
        default(rule, "scope", "*")


def _default_selectors(owner: Document) -> None:
    default(owner, "matchPolicy", "Equivalent")
    default(owner, "namespaceSelector", {})
    default(owner, "objectSelector", {})
