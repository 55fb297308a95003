"""Which flavors a workload would get, and what would have to happen first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from wavetank.cluster.fields.resources import format_amounts
from wavetank.controllers.kueue.objects.workloads import LastAssignment, PodSet
from wavetank.controllers.kueue.quota.amounts import FlavorResource, Quantities
from wavetank.controllers.kueue.topology.requests import DomainUsage, Placement, render_placement

# How well a flavor fits, the better the higher.
NO_FIT, PREEMPT, FIT = 0, 1, 2

# A reason against a flavor: a text, or the numbers of which it is made, since most are never read.
NOT_ENOUGH, TOO_MUCH = "not enough", "too much"
Reason: TypeAlias = "str | tuple[str, str, str, tuple[int, ...]]"


class FlavorAssignment:
    """A flavor for one resource of a pod set; `tried` is the index of the last flavor that was tried."""

    __slots__ = ("borrow", "mode", "name", "tried")

    def __init__(self, name: str, mode: int, borrow: int) -> None:
        self.name = name
        self.mode = mode
        self.borrow = borrow
        self.tried = -1


class PodSetAssignment:
    """The flavors of a pod set by resource, the domains of its pods, and the reasons why it does not fit."""

    __slots__ = ("flavors", "placement", "pod_set", "reasons")

    def __init__(self, pod_set: PodSet, flavors: Mapping[str, FlavorAssignment], reasons: list[Reason]) -> None:
        self.pod_set = pod_set
        self.flavors = flavors
        self.reasons = reasons
        self.placement: Placement | None = None

    @property
    def mode(self) -> int:
        """Returns the worst mode of all flavors."""
        if not self.reasons:
            return FIT
        return min((each.mode for each in self.flavors.values()), default=NO_FIT)

    def set_mode(self, mode: int) -> None:
        """Sets the mode of all flavors."""
        for each in self.flavors.values():
            each.mode = mode

    def domains(self) -> Iterator[DomainUsage]:
        """Yields what the pods would occupy of domains: once for each resource, as Kueue counts within a cycle."""
        if self.placement is None:
            return
        count = self.pod_set.count
        requests = {name: amount // count for name, amount in self.pod_set.requests.items()}
        for flavor in self.flavors.values():
            for domain in self.placement.domains:
                yield DomainUsage(flavor.name, domain.values, requests, domain.pods)

    def render(self) -> dict[str, Any]:
        """Returns the podSetAssignment of an admission."""
        requests = {name: self.pod_set.requests[name] for name in sorted(self.flavors)}
        placed = {} if self.placement is None else {"topologyAssignment": render_placement(self.placement)}
        return {
            "name": self.pod_set.name,
            "flavors": {name: self.flavors[name].name for name in sorted(self.flavors)},
            "resourceUsage": format_amounts(requests),
            "count": self.pod_set.count,
            **placed,
        }


class Assignment:
    """The flavors of a workload; `borrowing` is the height of the cohort that it would borrow in, 0 for none."""

    def __init__(self, generation: int) -> None:
        self.pod_sets: list[PodSetAssignment] = []
        self.borrowing = 0
        self.usage: Quantities = {}
        self._tried: list[dict[str, int]] = []
        self.last = LastAssignment(self._tried, generation)

    @property
    def mode(self) -> int:
        """Returns the worst mode of all pod sets."""
        return min((each.mode for each in self.pod_sets), default=NO_FIT)

    @property
    def domains(self) -> tuple[DomainUsage, ...]:
        """Returns what the workload would occupy of topologies."""
        return tuple(usage for each in self.pod_sets for usage in each.domains())

    def append(self, pod_set: PodSetAssignment) -> None:
        """Adds a pod set."""
        self.pod_sets.append(pod_set)
        for name, flavor in pod_set.flavors.items():
            self.borrowing = max(self.borrowing, flavor.borrow)
            key = (flavor.name, name)
            self.usage[key] = self.usage.get(key, 0) + pod_set.pod_set.requests[name]
        self._tried.append({name: flavor.tried for name, flavor in pod_set.flavors.items()})

    @property
    def need_preemption(self) -> set[FlavorResource]:
        """Returns what would have to be taken from other workloads."""
        return {
            (flavor.name, name)
            for each in self.pod_sets
            for name, flavor in each.flavors.items()
            if flavor.mode == PREEMPT
        }

    @property
    def reasons(self) -> tuple[tuple[str, tuple[Reason, ...]], ...]:
        """Returns the reasons against each pod set that does not fit."""
        return tuple((each.pod_set.name, tuple(each.reasons)) for each in self.pod_sets if each.reasons)

    def message(self) -> str:
        """Returns the reasons in Kueue's words."""
        parts = []
        for name, reasons in self.reasons:
            texts = sorted(describe(reason) for reason in reasons)
            parts.append(f"couldn't assign flavors to pod set {name}: {', '.join(texts)}")
        return "; ".join(parts)


def describe(reason: Reason) -> str:
    """Writes a reason as Kueue does."""
    if isinstance(reason, str):
        return reason
    kind, resource, flavor, amounts = reason
    texts = [format_amounts({resource: amount})[resource] for amount in amounts]
    if kind == NOT_ENOUGH:
        return f"insufficient unused quota for {resource} in flavor {flavor}, {texts[0]} more needed"
    return (
        f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests ({texts[0]}) "
        f"+ current podset request ({texts[1]}) > maximum capacity ({texts[2]})"
    )
