from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.admission.policies.policy import Match, Policy
from wavetank.cluster.objects.groupkinds import POLICIES, POLICY_BINDINGS
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store

Document = dict[str, Any]


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
            bindings = [
                _binding(each) for each in sorted(self._store.list(POLICY_BINDINGS), key=lambda each: each.name)
            ]
            policies = sorted(self._store.list(POLICIES), key=lambda each: each.name)
            found = [
                (_policy(each), [one for one in bindings if one.spec.get("policyName") == each.name])
                for each in policies
            ]
            self._known = [pair for pair in found if pair[1]]
        return self._known


def _policy(resource: Resource) -> Policy:
    return Policy(resource.name, dict(resource.manifest.get("spec") or {}))


def _binding(resource: Resource) -> Binding:
    spec = dict(resource.manifest.get("spec") or {})
    stated = spec.get("matchResources")
    return Binding(resource.name, spec, Match(resource.name, stated) if stated else None)
