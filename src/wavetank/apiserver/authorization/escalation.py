"""Roles and bindings must not give users more than they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import MASTERS, Document
from wavetank.apiserver.authorization.covering import missing_rules
from wavetank.apiserver.authorization.rbac import MissingRoleError, Rbac, Rule, joined
from wavetank.apiserver.errors import StatusError, bad_request, forbidden, not_found, plain
from wavetank.apiserver.kinds.kind import Kind
from wavetank.apiserver.requests.request import User
from wavetank.cel.gotext import quote

_GROUP = "rbac.authorization.k8s.io"
_ROLES = ("Role", "ClusterRole")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_EVERYTHING: Sequence[Rule] = (
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
)
_MOST_NAMED = 10_000  # missing rules in a message: long lists of verbs, groups and resources stand for very many
_UNCHECKED = ("ownerReferences", "finalizers", "managedFields", "selfLink")  # which the garbage collector changes


class RoleWrite(Protocol):
    """A write of an object, as admission sees it."""

    operation: str
    kind: Kind
    document: Document
    old: Document | None
    namespace: str
    path_name: str
    subresource: str
    user: User


class EscalationCheck:
    """Refuses roles with rules that the user does not have, unless it may `escalate`, and bindings of such roles.

    A binding is allowed, too, if the user may `bind` its role. Members of system:masters may do everything.
    """

    def __init__(self, rbac: Rbac) -> None:
        self._rbac = rbac

    def check(self, write: RoleWrite) -> None:
        """Refuses a write with a StatusError."""
        if write.kind.group != _GROUP or write.subresource or MASTERS in write.user.groups:
            return
        if write.operation == "UPDATE" and _is_unchanged(write.document, write.old or {}):
            return
        if write.kind.kind in _ROLES:
            self._check_role(write)
        elif write.kind.kind in _BINDINGS:
            self._check_binding(write)

    def _check_role(self, write: RoleWrite) -> None:
        if self._may(write, "escalate", write.kind.plural, write.path_name):
            return
        self._confirm(write, write.document.get("rules") or ())
        if _is_aggregated(write.document) or _is_aggregated(write.old or {}):
            held, _ = self._rbac.held_rules(write.user, write.namespace)
            if any(missing_rules(held, _EVERYTHING)):
                raise _refused(write, "must have cluster-admin privileges to use the aggregationRule")

    def _check_binding(self, write: RoleWrite) -> None:
        role = write.document["roleRef"]
        if role.get("kind") not in _ROLES:
            raise plain(f"unsupported role reference kind: {quote(role.get('kind') or '')}")
        if self._may(write, "bind", f"{role['kind'].lower()}s", role["name"]):
            return
        if role["kind"] == "Role" and not write.namespace:
            raise bad_request("Namespace parameter required.")
        try:
            rules = self._rbac.role_rules(role, write.namespace)
        except MissingRoleError:
            raise not_found(write.kind.resource, role["name"]) from None  # which names the binding's kind, as upstream
        self._confirm(write, rules)

    def _may(self, write: RoleWrite, verb: str, resource: str, name: str) -> bool:
        attributes = Attributes(verb, _GROUP, resource, write.namespace, name)
        return self._rbac.authorize(write.user, attributes).allowed

    def _confirm(self, write: RoleWrite, rules: Iterable[Rule]) -> None:
        """Refuses rules that the user does not have."""
        held, unknown = self._rbac.held_rules(write.user, write.namespace)
        missing = sorted({_compact(rule) for rule in _joined(islice(missing_rules(held, rules), _MOST_NAMED))})
        if missing:
            user = f"user {quote(write.user.name)} (groups={_quoted(write.user.groups)})"
            why = f"{user} is attempting to grant RBAC permissions not currently held:\n" + "\n".join(missing)
            raise _refused(write, why + (f"; resolution errors: [{joined(unknown)}]" if unknown else ""))


def _is_unchanged(new: Document, old: Document) -> bool:
    """Tells whether only fields differ that the garbage collector changes."""
    return _checked(new) == _checked(old)


def _checked(document: Document) -> Document:
    metadata = _stated(document.get("metadata") or {})
    return {**_stated(document), "metadata": {key: metadata[key] for key in metadata if key not in _UNCHECKED}}


def _stated(document: Document) -> Document:
    return {key: value for key, value in document.items() if value not in (None, [], {}, "")}


def _is_aggregated(role: Document) -> bool:
    return bool((role.get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _refused(write: RoleWrite, why: str) -> StatusError:
    return forbidden(write.kind.resource, (write.document.get("metadata") or {}).get("name") or "", why)


def _joined(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yields single rules with the verbs for one resource, or for one object, as one rule."""
    verbs: dict[tuple[object, ...], list[str]] = {}
    first: dict[tuple[object, ...], Rule] = {}
    for number, rule in enumerate(rules):
        resource = (*rule.get("apiGroups", ()), *rule.get("resources", ()), tuple(rule.get("resourceNames", ())))
        key = (number,) if "nonResourceURLs" in rule else resource
        first.setdefault(key, rule)
        verbs.setdefault(key, []).extend(rule["verbs"])
    yield from ({**rule, "verbs": verbs[key]} for key, rule in first.items())


def _compact(rule: Rule) -> str:
    """Writes a rule as the real server does."""
    words = {
        "APIGroups": rule.get("apiGroups"),
        "Resources": rule.get("resources"),
        "NonResourceURLs": rule.get("nonResourceURLs"),
        "ResourceNames": rule.get("resourceNames"),
        "Verbs": rule.get("verbs"),
    }
    return f"{{{', '.join(f'{word}:{_quoted(values)}' for word, values in words.items() if values)}}}"


def _quoted(texts: Iterable[str]) -> str:
    return f"[{' '.join(map(quote, texts))}]"
