"""What pods ask of a topology, and what they occupy of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from wavetank.cluster.fields.resources import PODS, Amounts
from wavetank.cluster.objects.podspec import PodSpec

REQUIRED, PREFERRED, UNCONSTRAINED = "required", "preferred", "unconstrained"
SLICES = "podSetSliceRequiredTopology"
POD_SET_GROUP = "podSetGroupName"

Values: TypeAlias = tuple[str, ...]  # of the node labels of the levels


class TopologyRequest(NamedTuple):
    """How near to each other pods have to be: in one domain of a level, preferably so, or anywhere.

    `level` is a node label, empty for pods that may run anywhere.
    """

    mode: str
    level: str = ""


class PlacementRequest(NamedTuple):
    """Pods of one spec that need domains of a flavor's topology."""

    spec: PodSpec
    pods: int
    topology: TopologyRequest


class DomainCount(NamedTuple):
    """So many pods in a domain; `values` are those of the levels that the assignment names."""

    values: Values
    pods: int


class Placement(NamedTuple):
    """Domains for all pods of a request, in the order of their values."""

    levels: tuple[str, ...]
    domains: tuple[DomainCount, ...]


class DomainUsage(NamedTuple):
    """What pods occupy of a domain: `requests` of each of them."""

    flavor: str
    values: Values
    requests: Amounts
    pods: int

    @property
    def total(self) -> dict[str, int]:
        """Returns what all of them occupy, the pods themselves included."""
        total = {name: amount * self.pods for name, amount in self.requests.items()}
        total[PODS] = total.get(PODS, 0) + self.pods
        return total


def read_request(pod_set: Mapping[str, Any]) -> TopologyRequest | None:
    """Returns what a pod set of a Workload asks for, None if it asks for nothing."""
    asked: Mapping[str, Any] = pod_set.get("topologyRequest") or {}
    for mode in (REQUIRED, PREFERRED):
        if asked.get(mode) is not None:
            return TopologyRequest(mode, str(asked[mode]))
    if asked.get(UNCONSTRAINED) is not None or asked.get(SLICES) is not None:
        return TopologyRequest(UNCONSTRAINED)
    return None


def limit_of(pod_sets: Sequence[Mapping[str, Any]]) -> str:
    """Returns what is not modelled of the requests of pod sets, empty if all is."""
    asked = [each.get("topologyRequest") or {} for each in pod_sets]
    if any(each.get(SLICES) is not None for each in asked):
        return "the built-in Kueue does not model slices of pod sets"
    if len(asked) > 1 and any(each.get(POD_SET_GROUP) is not None for each in asked):
        return "the built-in Kueue does not place pod sets together (podset-group-name)"
    return ""


def render_placement(placement: Placement) -> dict[str, Any]:
    """Returns a topologyAssignment: one slice of all domains, with common parts of values written once."""
    counts = [each.pods for each in placement.domains]
    rendered: dict[str, Any] = {"levels": list(placement.levels), "slices": []}
    if counts:
        values = [[each.values[level] for each in placement.domains] for level in range(len(placement.levels))]
        same = len(set(counts)) == 1
        rendered["slices"].append(
            {
                "domainCount": len(counts),
                "valuesPerLevel": [_render_values(each) for each in values],
                "podCounts": {"universal": counts[0]} if same else {"individual": counts},
            }
        )
    return rendered


def read_placement(rendered: Mapping[str, Any]) -> Placement:
    """Reads a topologyAssignment."""
    domains = tuple(each for part in rendered.get("slices") or () for each in _read_slice(part))
    return Placement(tuple(rendered.get("levels") or ()), domains)


def _read_slice(part: Mapping[str, Any]) -> Iterator[DomainCount]:
    number = int(part["domainCount"])
    levels = [_read_values(each, number) for each in part["valuesPerLevel"]]
    counts = part["podCounts"]
    for i in range(number):
        count = counts["universal"] if counts.get("universal") is not None else counts["individual"][i]
        yield DomainCount(tuple(each[i] for each in levels), int(count))


def _read_values(values: Mapping[str, Any], number: int) -> list[str]:
    if values.get("universal") is not None:
        return [str(values["universal"])] * number
    individual = values["individual"]
    prefix, suffix = individual.get("prefix") or "", individual.get("suffix") or ""
    return [f"{prefix}{root}{suffix}" for root in individual["roots"]]


def _render_values(values: Sequence[str]) -> dict[str, Any]:
    shortest = min(map(len, values))
    prefix = _common(values, shortest)
    if all(len(each) == len(prefix) for each in values):
        return {"universal": prefix}
    suffix = _common([each[::-1] for each in values], shortest)[::-1]
    prefix = prefix[: shortest - len(suffix)]  # they must not overlap
    individual: dict[str, Any] = {"roots": [each[len(prefix) : len(each) - len(suffix)] for each in values]}
    individual |= {"prefix": prefix} if prefix else {}
    individual |= {"suffix": suffix} if suffix else {}
    return {"individual": individual}


def _common(values: Sequence[str], shortest: int) -> str:
    """Returns the longest prefix of all values."""
    length = next((i for i in range(shortest) if len({each[i] for each in values}) > 1), shortest)
    return values[0][:length]
