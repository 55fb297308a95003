from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import MASTERS, AlwaysAllow, Decision, Document
from wavetank.apiserver.requests.request import User
from wavetank.apiserver.waiting import in_slices
from wavetank.cel.gotext import quote
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.errors import WavetankError

_GROUP = "rbac.authorization.k8s.io"
_ACCOUNT = "system:serviceaccount:"

Rule = Mapping[str, Any]


def bootstrap_objects() -> list[Document]:
    """Returns the roles and bindings of a new cluster."""
    text = (files("wavetank.apiserver.authorization") / "bootstrap.json").read_text(encoding="utf-8")
    made: list[Document] = json.loads(text)
    return made


class MissingRoleError(WavetankError):
    """A binding refers to a role that does not exist."""


class Rbac:
    """Decides by the roles and bindings in the store; a request that no rule allows is refused."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        """Looks for a rule that allows the request; the first one found is the reason."""
        if MASTERS in user.groups:
            return Decision(True)
        missing: list[str] = []
        for rule, reason in in_slices(self._rules(user, attributes.namespace, missing)):
            if _covers(rule, attributes):
                return Decision(True, f"RBAC: allowed by {reason}")
        return Decision(False, f"RBAC: {joined(missing)}" if missing else "")

    def rules(self, user: User, namespace: str) -> Document:
        """Returns all that a user may do in a namespace."""
        if MASTERS in user.groups:
            return AlwaysAllow().rules(user, namespace)
        found, missing = self.held_rules(user, namespace)
        return {
            "resourceRules": [dict(rule) for rule in in_slices(found) if rule.get("resources")],
            "nonResourceRules": [_of_paths(rule) for rule in in_slices(found) if rule.get("nonResourceURLs")],
            "incomplete": False,
            **({"evaluationError": joined(missing)} if missing else {}),
        }

    def held_rules(self, user: User, namespace: str) -> tuple[list[Rule], list[str]]:
        """Returns the rules of all roles of a user in a namespace, and what is said of roles that are missing."""
        missing: list[str] = []
        return [rule for rule, _ in in_slices(self._rules(user, namespace, missing))], missing

    def role_rules(self, role: Mapping[str, Any], namespace: str) -> Sequence[Rule]:
        """Returns the rules of the role that a binding in a namespace ("": in all) refers to; else MissingRoleError."""
        where = namespace if role["kind"] == "Role" else ""
        found = self._store.find(f"{role['kind']}.{_GROUP}", where, role["name"])
        if found is None:
            raise MissingRoleError(f"{role['kind'].lower()}.{_GROUP} {quote(role['name'])} not found")
        own: Sequence[Rule] = found.manifest.get("rules") or ()
        collected = found.manifest.get("aggregationRule")
        return own or self._collected(collected) if collected else own

    def _rules(self, user: User, namespace: str, missing: list[str]) -> Iterator[tuple[Rule, str]]:
        """Yields the rules of a user's roles, and where they come from; adds to `missing` what is not found."""
        bindings = [(each, "") for each in self._store.list(f"ClusterRoleBinding.{_GROUP}")]
        if namespace:
            local = self._store.list(f"RoleBinding.{_GROUP}")
            bindings += [(each, namespace) for each in local if each.namespace == namespace]
        for binding, where in bindings:
            try:
                yield from self._granted(binding, user, where)
            except MissingRoleError as error:
                missing.append(str(error))

    def _granted(self, binding: Resource, user: User, namespace: str) -> Iterator[tuple[Rule, str]]:
        subject = next((each for each in binding.manifest.get("subjects") or () if _is(each, user, namespace)), None)
        if subject is None:
            return
        role = binding.manifest["roleRef"]
        name = f"{binding.name}/{namespace}" if namespace else binding.name
        subject_text = f'{subject["kind"]} "{_name_of(subject, namespace)}"'
        reason = f'{binding.manifest_kind} "{name}" of {role["kind"]} "{role["name"]}" to {subject_text}'
        for rule in self.role_rules(role, namespace):
            yield rule, reason

    def _collected(self, aggregation: Mapping[str, Any]) -> Sequence[Rule]:
        """Returns the rules of all roles that an aggregation selects, themselves aggregations or not."""
        selectors = [LabelSelector.parse(each) for each in aggregation.get("clusterRoleSelectors") or ()]
        found: list[Rule] = []
        for role in self._store.list(f"ClusterRole.{_GROUP}"):
            if any(selector.matches(role.labels) for selector in selectors):
                found.extend(self.role_rules({"kind": "ClusterRole", "name": role.name}, ""))
        return found


def joined(messages: Sequence[str]) -> str:
    """Writes several errors as one, each once."""
    texts = list(dict.fromkeys(messages))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _of_paths(rule: Rule) -> Document:
    return {key: rule[key] for key in ("verbs", "nonResourceURLs")}


def _is(subject: Mapping[str, Any], user: User, namespace: str) -> bool:
    match subject.get("kind"):
        case "User":
            return bool(user.name == subject.get("name"))
        case "Group":
            return subject.get("name") in user.groups
        case "ServiceAccount":
            where = subject.get("namespace") or namespace
            return user.name == f"{_ACCOUNT}{where}:{subject.get('name')}"
    return False


def _name_of(subject: Mapping[str, Any], namespace: str) -> str:
    if subject["kind"] != "ServiceAccount":
        return str(subject["name"])
    return f"{subject['name']}/{subject.get('namespace') or namespace}"


def _covers(rule: Rule, attributes: Attributes) -> bool:
    if not _among(rule.get("verbs"), attributes.verb):
        return False
    if attributes.path:
        return any(_is_path(given, attributes.path) for given in rule.get("nonResourceURLs") or ())
    names = rule.get("resourceNames") or ()
    return (
        _among(rule.get("apiGroups"), attributes.group)
        and any(_is_resource(given, attributes.resource) for given in rule.get("resources") or ())
        and (not names or attributes.name in names)
    )


def _among(given: Sequence[str] | None, one: str) -> bool:
    return given is not None and ("*" in given or one in given)


def _is_resource(given: str, resource: str) -> bool:
    _, _, below = resource.partition("/")
    return given in ("*", resource) or bool(below and given == f"*/{below}")


def _is_path(given: str, path: str) -> bool:
    return given in ("*", path) or (given.endswith("*") and path.startswith(given.rstrip("*")))
