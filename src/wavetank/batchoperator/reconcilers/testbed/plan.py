"""Which slots a testbed should have, and whether they fit the nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.testbed import TestbedSpec
from wavetank.cluster.fields.resources import PODS, Amounts, format_amounts, parse_amounts, pod_requests
from wavetank.cluster.objects.pod import ENDS

Place = tuple[str, int]  # the node's name and the slot's position on it


@dataclass(frozen=True)
class Plan:
    """The slots of a testbed in the order of their ids, what one of them requests, and problems by node."""

    places: tuple[Place, ...]
    node_ids: Mapping[str, int]
    requests: Amounts
    node_problems: Mapping[str, list[str]] = field(default_factory=dict)


def make_plan(spec: TestbedSpec, nodes: Iterable[KubeObject], taken: Mapping[str, Amounts]) -> Plan:
    """Plans the slots of a testbed: one after the other on all nodes in turn, by the number in the nodes' label.

    `taken` is what is not available to this testbed on each node.
    """
    requests = parse_amounts(spec.resources_per_slot, path="spec.resourcesPerSlot")
    ids: dict[str, int] = {}
    problems: dict[str, list[str]] = {}
    for node in nodes:
        value = node.labels[spec.node_label]
        if not value.isdecimal():
            problems[node.name] = [f"label {spec.node_label}={value}: expected a number"]
            continue
        ids[node.name] = int(value)
        missing = _missing(node, taken.get(node.name, {}), requests, spec.slots_per_node)
        if missing:
            problems[node.name] = missing
    order = sorted(ids, key=lambda name: (ids[name], name))
    places = tuple((name, position) for position in range(spec.slots_per_node) for name in order)
    return Plan(places, ids, requests, problems)


def _missing(node: KubeObject, taken: Amounts, requests: Amounts, slots: int) -> list[str]:
    allocatable = parse_amounts(node.status.get("allocatable") or node.status.get("capacity"))
    short = []
    for name, amount in {**requests, PODS: 1}.items():
        left = allocatable.get(name, 0) - taken.get(name, 0)
        if amount * slots > left:
            wanted, free = (format_amounts({name: value})[name] for value in (amount * slots, max(left, 0)))
            short.append(f"{slots} slots need {wanted} of {name}, {free} are left")
    return short


def taken_on_nodes(pods: Iterable[KubeObject]) -> dict[str, dict[str, int]]:
    """Adds up what pods that belong to no testbed request, by node."""
    taken: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for pod in pods:
        if pod.node_name and pod.phase not in ENDS and labels.TESTBED_NAME not in pod.labels:
            add(taken[pod.node_name], pod_requests(pod.spec))
            taken[pod.node_name][PODS] += 1
    return taken


def add(total: dict[str, int], amounts: Amounts, times: int = 1) -> None:
    """Adds amounts to a total."""
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount * times
