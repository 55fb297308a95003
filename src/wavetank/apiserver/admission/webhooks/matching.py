"""Which webhooks are called for a write: by their rules, selectors and conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.webhooks.conditions import ConditionError, all_hold
from wavetank.apiserver.admission.webhooks.configurations import Webhook
from wavetank.apiserver.errors import not_found
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.waiting import HEAVIEST
from wavetank.cel.functions.authorization import Ask, AuthorizerValue, Question
from wavetank.cluster.objects.groupkinds import NAMESPACE
from wavetank.cluster.store.store import Store

Document = dict[str, Any]
_FEW_RULES = 16
# Configurations of admission itself are never sent to webhooks: a wrong one could not be repaired.
_EXEMPT_GROUP = "admissionregistration.k8s.io"
_EXEMPT = frozenset(
    {
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
    }
)


@dataclass(frozen=True, slots=True)
class Invocation:
    """A webhook that is to be called, with objects in the version of `kind`."""

    webhook: Webhook
    kind: Kind


class Matcher:
    """Finds out which webhooks are called for a write."""

    def __init__(self, store: Store, kinds: KindTable) -> None:
        self._store = store
        self._kinds = kinds
        self._revision = kinds.revision
        self._equivalent: dict[tuple[str, str, str], tuple[Kind, ...]] = {}

    def is_exempt(self, kind: Kind) -> bool:
        """Tells whether objects of a kind are never sent to webhooks."""
        return kind.group == _EXEMPT_GROUP and kind.kind in _EXEMPT

    def concerns(self, webhook: Webhook, kind: Kind, operation: str, subresource: str = "") -> bool:
        """Tells whether the rules of a webhook are about a kind, whatever the object."""
        attributes = Attributes(operation, kind, {}, namespace="x" if kind.namespaced else "", subresource=subresource)
        return self._version(webhook, attributes) is not None

    def match(self, webhook: Webhook, attributes: Attributes) -> Invocation | None:
        """Returns the invocation of a webhook, without its conditions; None if it is not called.

        StatusError (404) if the namespace whose labels count does not exist.
        """
        kind = self._version(webhook, attributes)
        if kind is None or not self._selects_object(webhook, attributes):
            return None
        return Invocation(webhook, kind) if self._selects_namespace(webhook, attributes) else None

    # rules

    def _version(self, webhook: Webhook, attributes: Attributes) -> Kind | None:
        """Returns the version in which a webhook gets the object: that of the request, or an equivalent one."""
        for kind in self._versions(attributes.kind, webhook.is_equivalent):
            for rule in self._rules(webhook, kind, attributes):
                if _fits(rule, attributes):
                    return kind
        return None

    def _rules(self, webhook: Webhook, kind: Kind, attributes: Attributes) -> Iterable[Document]:
        """Returns the rules about an operation on a resource; of many rules they are looked for once."""
        stated = webhook.stated.get("rules") or ()
        operation, subresource = attributes.operation, attributes.subresource
        found = (rule for rule in stated if _is_about(rule, kind, operation, subresource))
        if len(stated) <= _FEW_RULES:
            return found
        key = (operation, kind.group, kind.version, kind.plural, subresource)
        if key not in webhook.rules_about:
            webhook.rules_about[key] = list(found)
        return webhook.rules_about[key]

    def _versions(self, kind: Kind, equivalent: bool) -> tuple[Kind, ...]:
        """Returns the versions in which a webhook may get an object, that of the request first."""
        if not equivalent:
            return (kind,)
        if self._kinds.revision != self._revision:
            self._revision = self._kinds.revision
            self._equivalent.clear()
        key = (kind.group, kind.version, kind.plural)
        if key not in self._equivalent:
            same = (each for each in self._kinds if (each.group, each.plural) == (kind.group, kind.plural))
            self._equivalent[key] = (kind, *(each for each in same if each.version != kind.version))
        return self._equivalent[key]

    # selectors

    def _selects_object(self, webhook: Webhook, attributes: Attributes) -> bool:
        if webhook.objects.is_empty:
            return True
        present = attributes.document if attributes.operation != "DELETE" else None
        return any(
            webhook.objects.matches((each.get("metadata") or {}).get("labels") or {})
            for each in (present, attributes.old)
            if each is not None
        )

    def _selects_namespace(self, webhook: Webhook, attributes: Attributes) -> bool:
        is_namespace = attributes.kind.group_kind == NAMESPACE
        if webhook.namespaces.is_empty or not (attributes.namespace or is_namespace):
            return True
        if is_namespace and not attributes.subresource and attributes.operation in ("CREATE", "UPDATE"):
            return webhook.namespaces.matches((attributes.document.get("metadata") or {}).get("labels") or {})
        found = self._store.find(NAMESPACE, "", attributes.namespace)
        if found is None:
            raise not_found("namespaces", attributes.namespace)
        return webhook.namespaces.matches(found.labels)


def meets_conditions(webhook: Webhook, attributes: Attributes, review: Document, ask: Ask) -> bool:
    """Evaluates the conditions of a webhook on a review's request; a StatusError (403) if they fail."""
    request = {name: value for name, value in review.items() if name not in ("object", "oldObject")}
    values: Document = {"object": review.get("object"), "oldObject": review.get("oldObject"), "request": request}
    values["authorizer"] = AuthorizerValue(ask, question_of(attributes))
    try:
        hold = partial(all_hold, webhook.conditions, values)
        return attributes.beside(hold, HEAVIEST if webhook.has_costly_conditions else 0)
    except ConditionError as error:
        if webhook.ignores_failures:
            return False
        raise attributes.refused(str(error)) from None


def question_of(attributes: Attributes) -> Question:
    """Returns the question about the resource of a request, of which only the verb is open."""
    kind = attributes.kind
    return Question(kind.group, kind.plural, attributes.subresource, attributes.namespace, attributes.name)


def _is_about(rule: Document, kind: Kind, operation: str, subresource: str) -> bool:
    return (
        _is_in(rule.get("operations"), operation)
        and _is_in(rule.get("apiGroups"), kind.group)
        and _is_in(rule.get("apiVersions"), kind.version)
        and any(_is_resource(stated, kind.plural, subresource) for stated in rule.get("resources") or ())
    )


def _fits(rule: Document, attributes: Attributes) -> bool:
    return _is_in_scope(rule.get("scope") or "*", attributes) and (
        not rule.get("resourceNames") or attributes.name in rule["resourceNames"]  # of policies only
    )


def _is_in(stated: list[str] | None, value: str) -> bool:
    return stated is not None and ("*" in stated or value in stated)


def _is_resource(stated: str, plural: str, subresource: str) -> bool:
    name, _, below = stated.partition("/")
    return name in ("*", plural) and below in (subresource, "*")


def _is_in_scope(scope: str, attributes: Attributes) -> bool:
    """A Namespace is cluster-scoped, though a request for it counts as in that namespace."""
    is_namespaced = bool(attributes.namespace) and attributes.kind.group_kind != NAMESPACE
    return scope == "*" or (scope == "Namespaced") == is_namespaced
