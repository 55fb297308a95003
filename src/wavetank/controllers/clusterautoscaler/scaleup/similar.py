"""Similar node groups: which they are, and how new nodes are divided among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wavetank.cluster.fields.resources import MEMORY, parse_amounts
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroup
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import Resize
from wavetank.controllers.clusterautoscaler.templates import NodeTemplate

_IGNORED = frozenset(
    {
        "kubernetes.io/hostname",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "beta.kubernetes.io/fluentd-ds-ready",
        "kops.k8s.io/instancegroup",
        "node.openshift.io/os_id",
    }
)


def are_similar(one: NodeTemplate, other: NodeTemplate, options: Options) -> bool:
    """Returns whether two templates are alike.

    With `balancing_label` only those labels count. Otherwise: equal capacity (memory nearly), allocatable and free
    amounts within a tolerance, equal labels except for host, zone, region and ignored ones.
    """
    if options.balancing_label:
        labels = (one.node.labels, other.node.labels)
        return all(
            labels[0].get(key) is not None and labels[0].get(key) == labels[1].get(key)
            for key in options.balancing_label
        )
    return (
        _same_capacity(_capacity(one), _capacity(other), options.memory_difference_ratio)
        and _within(one.node.allocatable, other.node.allocatable, options.max_allocatable_difference_ratio)
        and _within(_free(one), _free(other), options.max_free_difference_ratio)
        and _labels(one, options) == _labels(other, options)
    )


def divide(groups: Sequence[NodeGroup], nodes: int) -> list[Resize]:
    """Divides new nodes among groups, the smallest first.

    A group grows until it is larger than the next one; a full group is left out.
    """
    growing = sorted((group for group in groups if group.target < group.max_size), key=lambda group: group.target)
    sizes = [group.target for group in growing]
    nodes = min(nodes, sum(group.max_size - group.target for group in growing))
    start = current = 0
    while nodes > 0:
        if sizes[current] < growing[current].max_size:
            sizes[current] += 1
            nodes -= 1
        else:
            growing[start], growing[current] = growing[current], growing[start]
            sizes[start], sizes[current] = sizes[current], sizes[start]
            start += 1
        grown = current + 1 < len(sizes) and sizes[current] > sizes[current + 1]
        current = current + 1 if grown else start
    changed = zip(growing, sizes, strict=True)
    return [Resize(group.id, group.target, size, group.max_size) for group, size in changed if size != group.target]


def _labels(template: NodeTemplate, options: Options) -> dict[str, str]:
    ignored = _IGNORED.union(options.balancing_ignore_label)
    return {key: value for key, value in template.node.labels.items() if key not in ignored}


def _capacity(template: NodeTemplate) -> Mapping[str, int]:
    node = template.node
    return parse_amounts((node.manifest.get("status") or {}).get("capacity")) or node.allocatable


def _free(template: NodeTemplate) -> Mapping[str, int]:
    used = template.pods
    return {
        name: amount - sum(pod.requests.get(name, 0) for pod in used)
        for name, amount in template.node.allocatable.items()
    }


def _same_capacity(one: Mapping[str, int], other: Mapping[str, int], memory_ratio: float) -> bool:
    if one.keys() != other.keys():
        return False
    return all(
        _close(one[name], other[name], memory_ratio) if name == MEMORY else one[name] == other[name] for name in one
    )


def _within(one: Mapping[str, int], other: Mapping[str, int], ratio: float) -> bool:
    return one.keys() == other.keys() and all(_close(one[name], other[name], ratio) for name in one)


def _close(one: int, other: int, ratio: float) -> bool:
    larger, smaller = max(one, other), min(one, other)
    return larger - smaller <= larger * ratio
