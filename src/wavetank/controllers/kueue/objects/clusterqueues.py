"""ClusterQueues, Cohorts, LocalQueues and ResourceFlavors as Kueue reads them, with its defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.fields.resources import parse_amounts
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.fields.taints import Taint, Tolerations, parse_taints
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.kueue.quota.amounts import FlavorResource, Quota
from wavetank.errors import InputError
from wavetank.quantity import parse_quantity

NEVER, ANY, LOWER, LOWER_OR_NEWER = "Never", "Any", "LowerPriority", "LowerOrNewerEqualPriority"
STRICT, BEST_EFFORT = "StrictFIFO", "BestEffortFIFO"
NONE, HOLD, DRAIN = "None", "Hold", "HoldAndDrain"
MAY_STOP, TRY_NEXT = "MayStopSearch", "TryNextFlavor"
BORROWING_FIRST, PREEMPTION_FIRST = "BorrowingOverPreemption", "PreemptionOverBorrowing"
# How v1beta1 calls a search that may stop.
_OLD_NAMES = {"Borrow": MAY_STOP, "Preempt": MAY_STOP}

Document = Mapping[str, Any]


@dataclass(frozen=True)
class ResourceGroup:
    """Resources that get their flavors together, and the flavors in the order in which they are tried."""

    covered: frozenset[str]
    flavors: tuple[str, ...]


@dataclass(frozen=True)
class PreemptionPolicy:
    """Which workloads a workload of a queue may preempt; `borrowing` while it borrows."""

    within_queue: str = NEVER
    reclaim: str = NEVER
    borrowing: str = NEVER
    threshold: int | None = None  # of the priority that may be preempted while borrowing

    @property
    def forbids_borrowing(self) -> bool:
        """Tells whether no workload of another queue may be preempted while the queue borrows."""
        return self.borrowing == NEVER


@dataclass(frozen=True)
class ClusterQueueSpec:
    """A ClusterQueue."""

    name: str
    cohort: str
    groups: tuple[ResourceGroup, ...]
    quotas: dict[FlavorResource, Quota]
    strategy: str
    namespaces: LabelSelector
    preemption: PreemptionPolicy
    when_can_borrow: str
    when_can_preempt: str
    preference: str
    weight: float
    stop: str
    checks: Mapping[str, frozenset[str]]  # the flavors for which each admission check counts

    @classmethod
    def parse(cls, resource: Resource) -> ClusterQueueSpec:
        """Reads a ClusterQueue; InputError for what is wrong, or not modelled."""
        spec = _mapping(resource.manifest.get("spec"), "spec")
        if spec.get("admissionScope"):
            raise InputError("fair sharing by admission (usage-based) is not modelled", path="spec.admissionScope")
        groups, quotas = _groups(spec.get("resourceGroups") or (), "spec.resourceGroups")
        fungibility = _mapping(spec.get("flavorFungibility"), "spec.flavorFungibility")
        return cls(
            resource.name,
            str(spec.get("cohortName") or spec.get("cohort") or ""),
            groups,
            quotas,
            _choice(spec, "queueingStrategy", (BEST_EFFORT, STRICT), "spec"),
            LabelSelector.parse(spec.get("namespaceSelector"), path="spec.namespaceSelector"),
            _preemption(_mapping(spec.get("preemption"), "spec.preemption")),
            _search(fungibility, "whenCanBorrow", MAY_STOP),
            _search(fungibility, "whenCanPreempt", TRY_NEXT),
            _choice(fungibility, "preference", ("", BORROWING_FIRST, PREEMPTION_FIRST), "spec.flavorFungibility"),
            _weight(spec),
            _choice(spec, "stopPolicy", (NONE, HOLD, DRAIN), "spec"),
            _checks(spec, groups),
        )

    @property
    def flavors(self) -> frozenset[str]:
        """Returns all flavors."""
        return frozenset(name for group in self.groups for name in group.flavors)

    def group_of(self, resource: str) -> ResourceGroup | None:
        """Returns the group of a resource."""
        return next((group for group in self.groups if resource in group.covered), None)

    def checks_for(self, assigned: Sequence[str] | None) -> frozenset[str]:
        """Returns the admission checks of a workload with these flavors; None: it has none yet."""
        if all(flavors == self.flavors for flavors in self.checks.values()):
            return frozenset(self.checks)
        return frozenset(name for name, flavors in self.checks.items() if flavors.intersection(assigned or ()))


@dataclass(frozen=True)
class CohortSpec:
    """A Cohort object."""

    name: str
    parent: str
    quotas: dict[FlavorResource, Quota]
    weight: float

    @classmethod
    def parse(cls, resource: Resource) -> CohortSpec:
        """Reads a Cohort."""
        spec = _mapping(resource.manifest.get("spec"), "spec")
        _, quotas = _groups(spec.get("resourceGroups") or (), "spec.resourceGroups")
        return cls(resource.name, str(spec.get("parentName") or spec.get("parent") or ""), quotas, _weight(spec))


@dataclass(frozen=True)
class FlavorSpec:
    """A ResourceFlavor: labels and taints of its nodes, and tolerations that pods get with it.

    `topology` is the name of its Topology, empty if pods may be anywhere on its nodes.
    """

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    tolerations: Tolerations
    manifest_tolerations: Sequence[Document]
    topology: str = ""

    @classmethod
    def parse(cls, resource: Resource) -> FlavorSpec:
        """Reads a ResourceFlavor; InputError for one that Kueue would refuse."""
        spec = _mapping(resource.manifest.get("spec"), "spec")
        labels = _mapping(spec.get("nodeLabels"), "spec.nodeLabels")
        topology = str(spec.get("topologyName") or "")
        if topology and not labels:
            raise InputError("at least one node label is required with a topology", path="spec.nodeLabels")
        given = spec.get("tolerations") or []
        taints = parse_taints(spec.get("nodeTaints"), path="spec.nodeTaints")
        tolerations = Tolerations.parse(given, path="spec.tolerations")
        return cls(resource.name, labels, taints, tolerations, given, topology)


def stop_policy(resource: Resource) -> str:
    """Returns the stopPolicy of a LocalQueue."""
    return _choice(_mapping(resource.manifest.get("spec"), "spec"), "stopPolicy", (NONE, HOLD, DRAIN), "spec")


def _groups(raw: object, path: str) -> tuple[tuple[ResourceGroup, ...], dict[FlavorResource, Quota]]:
    groups: list[ResourceGroup] = []
    quotas: dict[FlavorResource, Quota] = {}
    for i, each in enumerate(_sequence(raw, path)):
        group = _mapping(each, f"{path}[{i}]")
        flavors = _sequence(group.get("flavors") or (), f"{path}[{i}].flavors")
        covered = frozenset(map(str, _sequence(group.get("coveredResources") or (), f"{path}[{i}].coveredResources")))
        for j, flavor in enumerate(flavors):
            quotas.update(_quotas(_mapping(flavor, f"{path}[{i}].flavors[{j}]"), covered, f"{path}[{i}].flavors[{j}]"))
        groups.append(ResourceGroup(covered, tuple(str(flavor["name"]) for flavor in flavors)))
    return tuple(groups), quotas


def _quotas(flavor: Document, covered: frozenset[str], path: str) -> dict[FlavorResource, Quota]:
    if not flavor.get("name"):
        raise InputError("a flavor needs its name", path=f"{path}.name")
    found: dict[FlavorResource, Quota] = {}
    for i, each in enumerate(_sequence(flavor.get("resources") or (), f"{path}.resources")):
        place, resource = f"{path}.resources[{i}]", _mapping(each, f"{path}.resources[{i}]")
        name = str(resource.get("name") or "")
        if name not in covered:
            raise InputError(f"expected one of the coveredResources, got {name!r:.60}", path=f"{place}.name")
        if resource.get("nominalQuota") is None:
            raise InputError("a quota needs its nominalQuota", path=f"{place}.nominalQuota")
        limits = [_amount(resource, field, name, place) for field in ("nominalQuota", "borrowingLimit", "lendingLimit")]
        found[str(flavor["name"]), name] = Quota(limits[0] or 0, limits[1], limits[2])
    return found


def _amount(resource: Document, field: str, name: str, path: str) -> int | None:
    value = resource.get(field)
    return None if value is None else parse_amounts({name: value}, path=f"{path}.{field}")[name]


def _preemption(raw: Document) -> PreemptionPolicy:
    path = "spec.preemption"
    borrow = _mapping(raw.get("borrowWithinCohort"), f"{path}.borrowWithinCohort")
    threshold = borrow.get("maxPriorityThreshold")
    return PreemptionPolicy(
        _choice(raw, "withinClusterQueue", (NEVER, LOWER, LOWER_OR_NEWER), path),
        _choice(raw, "reclaimWithinCohort", (NEVER, LOWER, ANY), path),
        _choice(borrow, "policy", (NEVER, LOWER), f"{path}.borrowWithinCohort"),
        None if threshold is None else int(threshold),
    )


def _search(fungibility: Document, field: str, default: str) -> str:
    given = fungibility.get(field)
    named = {field: _OLD_NAMES.get(str(given), given)} if given else {}
    other = TRY_NEXT if default == MAY_STOP else MAY_STOP
    return _choice(named, field, (default, other), "spec.flavorFungibility")


def _weight(spec: Document) -> float:
    sharing = _mapping(spec.get("fairSharing"), "spec.fairSharing")
    weight = sharing.get("weight")
    if weight is None:
        return 1.0
    try:
        value = float(parse_quantity(weight))
    except InputError as error:
        raise error.inside(path="spec.fairSharing.weight") from None
    if value < 0:
        raise InputError(f"expected 0 or more, got {weight!r}", path="spec.fairSharing.weight")
    return value


def _checks(spec: Document, groups: Sequence[ResourceGroup]) -> dict[str, frozenset[str]]:
    everywhere = frozenset(name for group in groups for name in group.flavors)
    strategy = _mapping(spec.get("admissionChecksStrategy"), "spec.admissionChecksStrategy")
    rules = _sequence(strategy.get("admissionChecks") or (), "spec.admissionChecksStrategy.admissionChecks")
    named = {str(rule["name"]): frozenset(rule.get("onFlavors") or ()) or everywhere for rule in rules}
    return named or {str(name): everywhere for name in spec.get("admissionChecks") or ()}


def _choice(raw: Document, field: str, choices: Sequence[str], path: str) -> str:
    value = raw.get(field) or choices[0]
    if value not in choices:
        expected = ", ".join(choice for choice in choices if choice)
        raise InputError(f"expected one of {expected}, got {value!r:.60}", path=f"{path}.{field}")
    return str(value)


def _mapping(raw: object, path: str) -> Document:
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise InputError(f"expected a mapping, got {raw!r:.60}", path=path)
    return raw


def _sequence(raw: object, path: str) -> Sequence[Any]:
    if not isinstance(raw, list | tuple):
        raise InputError(f"expected a list, got {raw!r:.60}", path=path)
    return raw
