"""The cluster that a run begins with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from wavetank.cluster.objects.kinds import Namespace, PriorityClass
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.errors import InputError
from wavetank.words import plural
from wavetank.workloads.manifests.objects import object_of


@dataclass(frozen=True)
class Cluster:
    """The objects that are there when a run begins; `sources` names the files they came from.

    The manifests have been validated by their readers. At least one is a Node, and no two of a kind share a name. A
    pod may be bound to a node that does not exist, as in a snapshot of part of a cluster: it stays there and has no
    effect.
    """

    manifests: Sequence[Manifest]
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        try:
            names = _unique_names(self.manifests)
            if not names[Node.kind]:
                raise InputError("a cluster needs at least one Node")
        except InputError as error:
            raise error.inside(source=", ".join(self.sources)) from None

    @property
    def node_names(self) -> list[str]:
        """Returns the names of the nodes."""
        return [Resource(manifest).name for manifest in self.manifests if manifest.get("kind") == Node.kind]

    def has_kind(self, kind: str) -> bool:
        """Tells whether there is an object of a kind."""
        return any(manifest.get("kind") == kind for manifest in self.manifests)

    def annotates_nodes(self, annotation: str) -> bool:
        """Tells whether any node has an annotation."""
        nodes = (manifest for manifest in self.manifests if manifest.get("kind") == Node.kind)
        metadata = (manifest.get("metadata") or {} for manifest in nodes)
        return any(annotation in (each.get("annotations") or {}) for each in metadata)

    @property
    def description(self) -> str:
        """Says what it is in a few words: 16 nodes and 3 other objects from platform.xml, pods.yaml."""
        nodes = sum(manifest.get("kind") == Node.kind for manifest in self.manifests)
        others = len(self.manifests) - nodes
        more = f" and {others} {plural(others, 'other object')}" if others else ""
        words = f"{nodes} {plural(nodes, 'node')}{more}"
        return f"{words} from {', '.join(self.sources)}" if self.sources else words

    def resources(self, specs: SpecTable) -> list[Resource]:
        """Returns new objects for one run: nodes first, pods last, otherwise in the order of the files."""
        made = [object_of(manifest, specs) for manifest in self.manifests]
        return sorted(made, key=lambda resource: _TURNS.get(resource.manifest_kind, 1))


_TURNS = {"Node": 0, "Pod": 2}  # objects that pods refer to exist before them


def _unique_names(manifests: Sequence[Manifest]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for resource in map(Resource, manifests):
        cluster_wide = resource.manifest_kind in (Node.kind, Namespace.kind, PriorityClass.kind)
        name = resource.name if cluster_wide else f"{resource.namespace}/{resource.name}"
        if name in names[resource.group_kind]:
            raise InputError(f'a second {resource.manifest_kind} "{name}": names must be unique')
        names[resource.group_kind].add(name)
    return names
