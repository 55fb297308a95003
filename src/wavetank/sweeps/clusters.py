"""Changes of a cluster: fewer or more nodes, smaller or larger ones."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wavetank.cluster.fields.resources import PODS, format_amounts, parse_amounts
from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.manifests.nodes import HOSTNAME

PERCENTAGE = re.compile(r"([+-])(\d{1,4}(?:\.\d+)?)%")


def read_factor(value: object, path: str) -> float:
    """Reads a change such as -50% or +25% as a factor: 0.5, 1.25."""
    match = PERCENTAGE.fullmatch(value) if isinstance(value, str) else None
    factor = 1 + float(match[1] + match[2]) / 100 if match else 0
    if factor <= 0:
        raise InputError(f"expected a change such as -50% or +25%, got {value!r:.60}", path=path)
    return factor


def with_more_nodes(cluster: Cluster, factor: float) -> Cluster:
    """Returns the cluster with so many times its nodes, every size in proportion and at least one node in all.

    Nodes are removed from the end of each size; new ones are copies, named after the copied node.
    """
    kinds: dict[str, list[Manifest]] = {}
    for manifest in cluster.manifests:
        if manifest.get("kind") == "Node":
            kinds.setdefault(repr(sorted(_capacity(manifest).items())), []).append(manifest)
    counts = _shares([len(nodes) for nodes in kinds.values()], factor)
    wanted = {id(node) for nodes, count in zip(kinds.values(), counts, strict=True) for node in nodes[:count]}
    kept = [each for each in cluster.manifests if each.get("kind") != "Node" or id(each) in wanted]
    copies = [
        _copy(nodes[i % len(nodes)], i // len(nodes))
        for nodes, count in zip(kinds.values(), counts, strict=True)
        for i in range(len(nodes), count)
    ]
    return replace(cluster, manifests=[*kept, *copies])


def with_larger_nodes(cluster: Cluster, factor: float) -> Cluster:
    """Returns the cluster with nodes of so many times the size; the number of pods that each may have stays."""
    changed = [_resized(each, factor) if each.get("kind") == "Node" else each for each in cluster.manifests]
    return replace(cluster, manifests=changed)


def _capacity(node: Manifest) -> Mapping[str, Any]:
    return (node.get("status") or {}).get("allocatable") or (node.get("status") or {}).get("capacity") or {}


def _shares(counts: Sequence[int], factor: float) -> list[int]:
    """Scales the counts to the rounded total; those with the largest remainders get what is left over."""
    total = max(1, round(sum(counts) * factor))
    exact = [count * total / sum(counts) for count in counts]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(counts)), key=lambda i: (shares[i] - exact[i], i))
    for i in by_remainder[: total - sum(shares)]:
        shares[i] += 1
    return shares


def _copy(node: Manifest, number: int) -> Manifest:
    new: dict[str, Any] = copy.deepcopy(dict(node))
    metadata = new["metadata"]
    metadata["name"] = f"{metadata['name']}-copy{number}"
    if HOSTNAME in (metadata.get("labels") or {}):
        metadata["labels"][HOSTNAME] = metadata["name"]
    return new


def _resized(node: Manifest, factor: float) -> Manifest:
    status = dict(node.get("status") or {})
    for field in ("capacity", "allocatable"):
        if field in status:
            amounts = parse_amounts(status[field])
            grown = {name: amount if name == PODS else round(amount * factor) for name, amount in amounts.items()}
            status[field] = format_amounts(grown)
    return {**node, "status": status}
