"""What the tests of this folder share: input files made of text, and the shared folder of real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.podspec import SpecTable
from wavetank.documents.types import items
from wavetank.kernel.randomness import Streams
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.generators.generators import GENERATOR, Generator, Generators
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.nodegroups import NODE_GROUPS, make_nodes
from wavetank.workloads.workload import Arrival, Workload


def a_file(content: object, name: str = "in.yaml") -> InputFile:
    return InputFile(Path(name), content if isinstance(content, str) else json.dumps(content))


def arrivals_of(workload: Workload, seed: int = 1) -> list[Arrival]:
    return list(workload.arrivals(SpecTable(), Streams(seed)))


def names_of(workload: Workload) -> list[str]:
    return [arrival.pod.name for arrival in arrivals_of(workload)]


def a_manifest(kind: str = "Pod", name: str = "a", **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **fields}


def cluster_of(groups: object) -> Cluster:
    """Returns the cluster of `nodes` in an experiment."""
    return Cluster(make_nodes(NODE_GROUPS.read(groups, "nodes"), "nodes"))


def generator_of(document: object, folder: Path = Path()) -> Generator:
    """Returns the workload of a `generator` in an experiment."""
    return Generator(GENERATOR.read(document, "generator"), "generator", folder)


def generators_of(documents: object) -> Generators:
    """Returns the workload of `generators` in an experiment."""
    return Generators(items(GENERATOR).read(documents, "generators"), "generators")
