from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.admission.policies.policy import Match, Policy
from wavetank.cluster.objects.groupkinds import POLICIES, POLICY_BINDINGS
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store

Document = dict[str, Any]
_MANY = 100  # policies that are evaluated within a few milliseconds


@dataclass(frozen=True)
class Binding:
    """A ValidatingAdmissionPolicyBinding; without `match` it is for all requests of its policy."""

    name: str
    spec: Document
    match: Match | None


class PolicyTable:
    """All policies of a store that are bound, by name, with their bindings by name."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._policies: dict[str, tuple[Resource, Policy]] = {}
        self._known: list[tuple[Policy, list[Binding]]] | None = None
        for group_kind in (POLICIES, POLICY_BINDINGS):
            store.subscribe(
                group_kind,
                added=lambda new: self._forget(),
                modified=lambda old, new: self._forget(),
                deleted=lambda old: self._forget(),
            )

    def _forget(self) -> None:
        self._known = None

    @property
    def bound(self) -> list[tuple[Policy, list[Binding]]]:
        """Returns the policies that have bindings."""
        if self._known is None:
            self._policies = {each.name: self._policy(each) for each in self._store.list(POLICIES)}
            bindings: dict[str, list[Binding]] = {name: [] for name in sorted(self._policies)}
            for each in sorted(self._store.list(POLICY_BINDINGS), key=lambda each: each.name):
                made = _binding(each)
                bindings.get(made.spec.get("policyName", ""), []).append(made)
            self._known = [(self._policies[name][1], found) for name, found in bindings.items() if found]
        return self._known

    @property
    def is_costly(self) -> bool:
        """Tells whether evaluating all policies may take long, however small the object is."""
        return len(self.bound) > _MANY or any(policy.is_costly for policy, _ in self.bound)

    def _policy(self, resource: Resource) -> tuple[Resource, Policy]:
        known = self._policies.get(resource.name)
        return known if known is not None and known[0] is resource else (resource, _policy(resource))


def _policy(resource: Resource) -> Policy:
    return Policy(resource.name, dict(resource.manifest.get("spec") or {}))


def _binding(resource: Resource) -> Binding:
    spec = dict(resource.manifest.get("spec") or {})
    stated = spec.get("matchResources")
    return Binding(resource.name, spec, Match(resource.name, stated) if stated else None)
