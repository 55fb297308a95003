from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from wavetank.cluster.fields.resources import Amounts, format_amounts
from wavetank.cluster.objects.karpenter import (
    API_VERSION,
    CAPACITY_TYPE,
    HOSTNAME,
    INITIALIZED,
    INSTANCE_TYPE,
    NODE_POOL_LABEL,
    REGISTERED,
    ZONE,
)
from wavetank.cluster.objects.node import PRICE, Node
from wavetank.controllers.karpenter.budgets import Budget
from wavetank.controllers.karpenter.instancetypes import InstanceType, Offering
from wavetank.controllers.karpenter.requirements import Requirement
from wavetank.kernel.durations import SECOND, Nanoseconds

WHEN_EMPTY, WHEN_UNDERUTILIZED = "WhenEmpty", "WhenEmptyOrUnderutilized"
POLICIES = (WHEN_EMPTY, WHEN_UNDERUTILIZED)
NODES = "nodes"  # a limit besides those of resources

_DAY: Nanoseconds = 24 * 3600 * SECOND


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """One node that a pool may launch: an instance type in a zone, on demand or spot, with its labels."""

    type: InstanceType
    offering: Offering
    labels: Mapping[str, str]

    @property
    def price(self) -> float:
        """Returns its price per hour."""
        return self.offering.price


@dataclass(frozen=True, eq=False)
class NodePool:
    """A pool of nodes of many instance types; fields as in karpenter.sh/v1, times in nanoseconds.

    None as a time means never.
    """

    name: str
    instance_types: Sequence[InstanceType]
    requirements: Sequence[Requirement] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()
    startup_taints: Sequence[Mapping[str, str]] = ()
    limits: Amounts = field(default_factory=dict)
    weight: int = 0
    expire_after: Nanoseconds | None = 30 * _DAY
    termination_grace_period: Nanoseconds | None = None
    consolidation_policy: str = WHEN_UNDERUTILIZED
    consolidate_after: Nanoseconds | None = 0
    budgets: tuple[Budget, ...] = (Budget(),)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """Returns all nodes that it may launch, in the order of its instance types."""
        return tuple(option for kind in self.instance_types for option in self._options_of(kind))

    def _options_of(self, kind: InstanceType) -> Iterator[Option]:
        for offering in kind.offerings:
            own = {INSTANCE_TYPE: kind.name, ZONE: offering.zone, CAPACITY_TYPE: offering.capacity_type}
            known = {**kind.labels, **self.labels, **own, NODE_POOL_LABEL: self.name}
            if not all(each.matches(known) for each in self.requirements if each.key in known):
                continue
            for extra in self._custom_labels(known):
                labels = {**known, **extra}
                if all(each.matches(labels) for each in self.requirements):
                    yield Option(kind, offering, labels)

    def _custom_labels(self, known: Mapping[str, str]) -> Iterator[dict[str, str]]:
        """Yields the labels that only requirements define: one set for each combination of their values."""
        values = {
            each.key: each.values for each in self.requirements if each.key not in known and each.operator == "In"
        }
        for chosen in product(*values.values()):
            yield dict(zip(values, chosen, strict=True))

    def node(self, option: Option, name: str, ready: bool = False) -> Node:
        """Returns a node as it registers; `ready`: without startup taints, as it will be."""
        taints = [*self.taints, *(() if ready else self.startup_taints)]
        capacity, allocatable = format_amounts(option.type.capacity), format_amounts(option.type.allocatable)
        state = {REGISTERED: "true", **({INITIALIZED: "true"} if ready else {})}
        manifest: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {**option.labels, HOSTNAME: name, **state},
                "annotations": {PRICE: f"{option.price:g}"},
            },
            "spec": {"providerID": f"wavetank://{name}", **({"taints": taints} if taints else {})},
            "status": {
                "capacity": capacity,
                "allocatable": allocatable,
                "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            },
        }
        return Node(manifest)

    def manifest(self) -> dict[str, Any]:
        """Returns its object."""
        template = {
            "requirements": [each.render() for each in self.requirements],
            "nodeClassRef": {"group": "wavetank.dev", "kind": "NodeClass", "name": "simulated"},
            **self.lifetime(),
        }
        disruption = {
            "consolidationPolicy": self.consolidation_policy,
            "consolidateAfter": written(self.consolidate_after),
            "budgets": [budget.render() for budget in self.budgets],
        }
        spec: dict[str, Any] = {
            "template": {"metadata": {"labels": dict(self.labels)}, "spec": template},
            "disruption": disruption,
        }
        if self.limits:
            spec["limits"] = format_amounts(self.limits)
        if self.weight:
            spec["weight"] = self.weight
        return {"apiVersion": API_VERSION, "kind": "NodePool", "metadata": {"name": self.name}, "spec": spec}

    def lifetime(self) -> dict[str, Any]:
        """Returns the fields that NodeClaims have from their pool: taints, and when nodes end."""
        fields: dict[str, Any] = {"expireAfter": written(self.expire_after)}
        if self.taints:
            fields["taints"] = [dict(taint) for taint in self.taints]
        if self.startup_taints:
            fields["startupTaints"] = [dict(taint) for taint in self.startup_taints]
        if self.termination_grace_period is not None:
            fields["terminationGracePeriod"] = written(self.termination_grace_period)
        return fields


def written(time: Nanoseconds | None) -> str:
    """Writes a time as Karpenter's fields have it, in whole seconds or Never."""
    return "Never" if time is None else f"{time // SECOND}s"


def by_weight(pools: Sequence[NodePool]) -> list[NodePool]:
    """Returns pools in the order in which they are tried: heavier ones first, then names from z to a."""
    return sorted(sorted(pools, key=lambda pool: pool.name, reverse=True), key=lambda pool: -pool.weight)
