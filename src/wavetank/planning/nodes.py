"""Nodes by what a user calls them, and new ones like them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS
from wavetank.cluster.manifests import load_documents, manifests_in, read_text
from wavetank.cluster.objects.node import PRICE, Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading
from wavetank.errors import InputError
from wavetank.results.recording.machines import price_of
from wavetank.words import did_you_mean
from wavetank.workloads.manifests.nodes import MOST_PODS, ZONE, ZONES, like, named_nodes, node_manifest
from wavetank.workloads.manifests.objects import make_object

# Words for labels that have other names in every cloud.
_ALIASES = {
    "zone": ZONES,
    "pool": (
        "cloud.google.com/gke-nodepool",
        "eks.amazonaws.com/nodegroup",
        "kubernetes.azure.com/agentpool",
        "karpenter.sh/nodepool",
    ),
}
_FIGURES = (CPU, MEMORY, "ephemeral-storage", PODS, "zone", "price")
_COUNTED = re.compile(r"(?:([0-9]{1,6})x)?(.+)")


def select_nodes(nodes: Sequence[Node], text: str) -> list[Node]:
    """Returns the nodes that a text stands for: names or labels (key=value, zone=a, pool=b), separated by commas.

    InputError for a name that is none, or a label that no node has.
    """
    by_name = {node.name: node for node in nodes}
    found: dict[str, Node] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        chosen = [by_name[part]] if part in by_name else list(_labelled(nodes, part))
        if not chosen:
            what = "label" if "=" in part else "name"
            raise InputError(f"no node has the {what} {part!r:.100}{did_you_mean(part, by_name)}")
        found |= {node.name: node for node in chosen}
    if not found:
        raise InputError(f"expected nodes by name or label, got {text!r:.60}")
    return list(found.values())


def _labelled(nodes: Iterable[Node], text: str) -> Iterator[Node]:
    key, sign, value = text.partition("=")
    keys = _ALIASES.get(key, (key,))
    if sign:
        yield from (node for node in nodes if any(node.labels.get(each) == value for each in keys))


@dataclass(frozen=True)
class Template:
    """Nodes to add: how many, and the manifest that they are copies of; `name` is what the user called it."""

    name: str
    manifest: Manifest
    count: int = 1

    @property
    def node(self) -> Node:
        """Returns a node like the template."""
        made = make_object(self.manifest, SpecTable())
        assert isinstance(made, Node)
        return made

    @property
    def price(self) -> float | None:
        """Returns what an hour of a node costs, None if that is not said."""
        return price_of(self.node)

    def copies(self, names: Iterable[str], zones: Sequence[str] = ()) -> Iterator[Manifest]:
        """Yields nodes of these names, in the zones in turn if there are any."""
        turns = cycle(zones) if zones else None
        for node in named_nodes(self.manifest, names):
            yield node if turns is None else _labelled_node(node, {ZONE: next(turns)})


def read_template(text: str, nodes: Sequence[Node]) -> Template:
    """Reads 3xTEMPLATE: a node of the cluster (name or label), a file with a Node, or cpu=8,memory=32Gi,zone=a.

    Without a number it is one node. InputError if it is none of these.
    """
    match = _COUNTED.fullmatch(text.strip())
    if match is None:
        raise InputError(f"expected 3xTEMPLATE, got {text!r:.60}")
    count, name = int(match[1] or 1), match[2]
    if not count:
        raise InputError(f"expected at least one node, got {text!r:.60}")
    if Path(name).suffix in (".yaml", ".yml", ".json"):
        return Template(name, _from_file(Path(name)), count)
    if re.match(r"(?:.*,)?cpu=", name):
        return Template(name, _from_figures(name), count)
    return Template(name, like(select_nodes(nodes, name)[0]), count)


def _from_file(path: Path) -> Manifest:
    found = [manifest for _, manifest in manifests_in(load_documents(read_text(path), str(path)), str(path))]
    if len(found) != 1 or found[0].get("kind") != "Node":
        raise InputError("expected one Node", source=str(path))
    try:
        made = make_object(found[0], SpecTable())
    except InputError as error:
        raise error.inside(source=str(path)) from None
    assert isinstance(made, Node)
    return like(made)


def _from_figures(text: str) -> Manifest:
    """Makes a node of cpu=8,memory=32Gi; besides resources it may have pods, zone, price and labels (key=value)."""
    given: dict[str, str] = {}
    for part in text.split(","):
        key, sign, value = part.strip().partition("=")
        if not sign or not value or key in given:
            raise InputError(f"expected key=value, each key once, got {part.strip()!r:.60} in {text!r:.100}")
        given[key] = value
    if MEMORY not in given:
        raise InputError(f"expected cpu and memory in {text!r:.100}")
    zone, price, pods = given.pop("zone", ""), given.pop("price", ""), given.pop("pods", str(MOST_PODS))
    resources = {key: value for key, value in given.items() if _is_resource(key)}
    for key, value in {**resources, PODS: pods}.items():
        reading.amount(value, key, key, least=1 if key in (CPU, MEMORY) else 0)
    labels = {key: value for key, value in given.items() if key not in resources}
    for key in filter(str.isalpha, labels):
        if hint := did_you_mean(key, _FIGURES):
            raise InputError(f"unknown key {key!r:.60}{hint}")
    labels |= {ZONE: zone} if zone else {}
    annotations: dict[str, Any] = {"annotations": {PRICE: _price(price)}} if price else {}
    return node_manifest("new", labels, {**resources, PODS: pods}, **annotations)


def _is_resource(key: str) -> bool:
    return key in (CPU, MEMORY, "ephemeral-storage") or key.startswith("hugepages-") or "/" in key


def _price(text: str) -> str:
    try:
        price = float(text)
    except ValueError:
        price = -1.0
    if not 0 <= price < math.inf:
        raise InputError(f"expected a price per hour, got {text!r:.60}", path="price")
    return text


def _labelled_node(node: Manifest, labels: Mapping[str, str]) -> Manifest:
    metadata = node["metadata"]
    return {**node, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **labels}}}
