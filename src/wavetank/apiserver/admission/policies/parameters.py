from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.admission.policies.policy import Policy
from wavetank.apiserver.admission.policies.table import Binding
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store

Document = dict[str, Any]


class ParameterError(Exception):
    """Parameters of a policy that cannot be found."""


def parameters(
    policy: Policy, binding: Binding, namespace: str, store: Store, kinds: KindTable
) -> list[Document | None]:
    """Returns the objects that a policy is evaluated with: one None if it has no parameters; ParameterError."""
    wanted, reference = policy.spec.get("paramKind"), binding.spec.get("paramRef")
    if wanted is None or reference is None:
        return [None]
    kind = kinds.named(wanted["apiVersion"], wanted["kind"])
    if kind is None:
        raise ParameterError(f"paramKind kind `{wanted['apiVersion']}, Kind={wanted['kind']}` not known")
    where = _namespace(kind, reference, namespace)
    found: list[Document | None] = [_shown(kind, each) for each in _matching(store, kind, reference, where)]
    if not found and reference.get("parameterNotFoundAction") == "Deny":
        raise ParameterError("no params found for policy binding with `Deny` parameterNotFoundAction")
    return found


def _namespace(kind: Kind, reference: Document, namespace: str) -> str:
    stated = reference.get("namespace") or ""
    if not kind.namespaced:
        if stated:
            raise ParameterError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
        return ""
    if not stated and not namespace:
        why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
        raise ParameterError(why)
    return stated or namespace


def _matching(store: Store, kind: Kind, reference: Document, namespace: str) -> Iterator[Resource]:
    if reference.get("name"):
        found = store.find(kind.group_kind, namespace, reference["name"])
        return iter(() if found is None else (found,))
    selector = LabelSelector.parse(reference.get("selector") or {})
    there = (each for each in store.list(kind.group_kind) if each.namespace == namespace)
    return iter(sorted((each for each in there if selector.matches(each.labels)), key=lambda each: each.name))


def _shown(kind: Kind, resource: Resource) -> Document:
    return {**resource.render(), "apiVersion": kind.api_version, "kind": kind.kind}
