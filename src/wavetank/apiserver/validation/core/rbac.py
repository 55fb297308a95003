"""Roles and their bindings."""

from __future__ import annotations

from collections.abc import Callable

from wavetank.apiserver.fielderrors import invalid, required, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update, check_selector

_GROUP = "rbac.authorization.k8s.io"


def check_role(role: Document) -> Errors:
    """Checks a role of a namespace."""
    yield from check_metadata(role["metadata"], True, names.path_segment_problems)
    yield from _check_rules(role, True)


def check_cluster_role(role: Document) -> Errors:
    """Checks a role of the cluster."""
    yield from check_metadata(role["metadata"], False, names.path_segment_problems)
    yield from _check_rules(role, False)
    rule, path = role.get("aggregationRule"), "aggregationRule.clusterRoleSelectors"
    if rule is None:
        return
    if not rule.get("clusterRoleSelectors"):
        yield required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")
    for index, selector in enumerate(rule.get("clusterRoleSelectors") or ()):
        problems = list(check_selector(selector, f"{path}[{index}]"))
        yield from problems
        if problems:
            yield invalid(f"{path}[{index}]", None, "invalid label selector.")


def check_role_binding(binding: Document) -> Errors:
    """Checks the binding of a role in a namespace."""
    yield from check_metadata(binding["metadata"], True, names.path_segment_problems)
    yield from _check_binding(binding, ("Role", "ClusterRole"), True)


def check_cluster_role_binding(binding: Document) -> Errors:
    """Checks the binding of a role in the cluster."""
    yield from check_metadata(binding["metadata"], False, names.path_segment_problems)
    yield from _check_binding(binding, ("ClusterRole",), False)


def check_again(check: Callable[[Document], Errors]) -> Callable[[Document, Document], Errors]:
    """Returns the check of a changed object that may change freely, except for the role of a binding."""

    def check_update(new: Document, old: Document) -> Errors:
        yield from check(new)
        yield from check_metadata_update(new["metadata"], old["metadata"])
        if new.get("roleRef") != old.get("roleRef"):
            yield invalid("roleRef", internal("rbac.RoleRef", new.get("roleRef") or {}), "cannot change roleRef")

    return check_update


def _check_rules(role: Document, namespaced: bool) -> Errors:
    for index, rule in enumerate(role.get("rules") or ()):
        path, urls = f"rules[{index}]", rule.get("nonResourceURLs") or []
        if not rule.get("verbs"):
            yield required(f"{path}.verbs", "verbs must contain at least one value")
        if urls:
            yield from _check_urls(rule, urls, namespaced, f"{path}.nonResourceURLs")
            continue
        if not rule.get("apiGroups"):
            yield required(f"{path}.apiGroups", "resource rules must supply at least one api group")
        if not rule.get("resources"):
            yield required(f"{path}.resources", "resource rules must supply at least one resource")


def _check_urls(rule: Document, urls: list[str], namespaced: bool, path: str) -> Errors:
    if namespaced:
        yield invalid(path, urls, "namespaced rules cannot apply to non-resource URLs")
    if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
        yield invalid(path, urls, "rules cannot apply to both regular resources and non-resource URLs")


def _check_binding(binding: Document, kinds: tuple[str, ...], namespaced: bool) -> Errors:
    role = binding.get("roleRef") or {}
    if role.get("apiGroup") != _GROUP:
        yield unsupported("roleRef.apiGroup", role.get("apiGroup") or "", (_GROUP,))
    if role.get("kind") not in kinds:
        yield unsupported("roleRef.kind", role.get("kind") or "", kinds)
    if not role.get("name"):
        yield required("roleRef.name")
    else:
        yield from each_invalid("roleRef.name", role["name"], names.path_segment_problems(role["name"]))
    for index, subject in enumerate(binding.get("subjects") or ()):
        yield from _check_subject(subject, namespaced, f"subjects[{index}]")


def _check_subject(subject: Document, namespaced: bool, path: str) -> Errors:
    kind, name, group = (subject.get(field) or "" for field in ("kind", "name", "apiGroup"))
    if not name:
        yield required(f"{path}.name")
    if kind == "ServiceAccount":
        yield from each_invalid(f"{path}.name", name, names.subdomain_problems(name) if name else ())
        if group:
            yield unsupported(f"{path}.apiGroup", group, ("",))
        if not namespaced and not subject.get("namespace"):
            yield required(f"{path}.namespace")
    elif kind in ("User", "Group"):
        if group != _GROUP:
            yield unsupported(f"{path}.apiGroup", group, (_GROUP,))
    else:
        yield unsupported(f"{path}.kind", kind, ("ServiceAccount", "User", "Group"))
