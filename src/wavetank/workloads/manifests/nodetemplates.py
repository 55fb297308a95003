"""Nodes that are described once and counted, as kwok and scheduler_perf make them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wavetank.cluster.fields.selectors import read_node_name
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.workloads.cluster import HOSTNAME

COUNT = "wavetank.dev/count"  # annotation of a Node: how many like it there are


def copies_of(manifest: Manifest) -> Sequence[Manifest]:
    """Returns the nodes that a Node with the annotation wavetank.dev/count stands for; anything else is itself.

    They are named `<name>-<number>`, from 0; their label kubernetes.io/hostname, if there is one, follows.
    """
    metadata = manifest.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    if manifest.get("kind") != "Node" or COUNT not in annotations:
        return [manifest]
    text, path = annotations[COUNT], f"metadata.annotations.{COUNT}"
    size = fields.integer(int(text) if text.isdecimal() and len(text) < 10 else text, path, 1, fields.MOST_OBJECTS)
    rest = {key: value for key, value in annotations.items() if key != COUNT}
    template = {**manifest, "metadata": {**metadata, "annotations": rest}}
    return list(named_nodes(template, (f"{metadata['name']}-{i}" for i in range(size))))


def named_nodes(template: Manifest, names: Iterable[str]) -> Iterator[Manifest]:
    """Yields a node like the template for each name."""
    metadata = template.get("metadata") or {}
    labels = metadata.get("labels") or {}
    for name in names:
        try:
            read_node_name(name)
        except InputError as error:
            raise error.inside(path="metadata.name") from None
        own = {**labels, HOSTNAME: name} if HOSTNAME in labels else labels
        yield {**template, "metadata": {**metadata, "name": name, "labels": own}}
