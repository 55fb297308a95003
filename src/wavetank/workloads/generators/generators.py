"""Workloads that are drawn at random, from a few numbers in an experiment."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.documents import types
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.kernel.randomness import Streams
from wavetank.workloads.generators.base import Draw, GeneratorSpec
from wavetank.workloads.generators.fitted import FittedSpec
from wavetank.workloads.generators.lublin import LublinSpec
from wavetank.workloads.generators.pods import BurstSpec, BurstySpec, DiurnalSpec, PoissonSpec, SpacedSpec
from wavetank.workloads.workload import Arrival

# One line for each kind of generator.
KINDS: Mapping[str, type[GeneratorSpec]] = {
    "burst": BurstSpec,
    "spaced": SpacedSpec,
    "poisson": PoissonSpec,
    "bursty": BurstySpec,
    "diurnal": DiurnalSpec,
    "lublin": LublinSpec,
    "fitted": FittedSpec,
}
GENERATOR: Type[GeneratorSpec] = types.tagged("kind", KINDS, GeneratorSpec)

_CONTAINER = {"name": "main", "image": "busybox", "imagePullPolicy": "IfNotPresent", "command": ["sleep"]}


class Generator:
    """Pods `<name>-<number>`, or jobs of pods `<name>-<number>-<rank>`, that follow the seed by streams of their own.

    `folder` is where files that the document names are looked for.
    """

    def __init__(self, spec: GeneratorSpec, path: str, folder: Path = Path()) -> None:
        self.name = spec.name or spec.kind
        self.counted = spec.counted
        self.size = spec.size
        self.description = f"{self.size} {self.counted} from a {spec.kind} generator"
        self._draw: Draw = spec.drawing(path, folder)
        self._manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": spec.labels} if spec.labels else {}}
        self._spec = _pod_spec(spec, path)
        self._made_of = (spec, path, folder)

    def __reduce__(self) -> tuple[object, ...]:  # the function that draws cannot be pickled
        return Generator, self._made_of

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time."""
        models: dict[int, Pod] = {}
        base = specs.intern(self._spec)
        drawn = self._draw(self.name, lambda what: streams.stream(f"workload/{self.name}/{what}"))
        for number, (time, size, behavior, requests) in enumerate(drawn):
            model = models.get(id(requests))  # the generator keeps its few requests, so that their ids are unique
            if model is None:
                model = models[id(requests)] = Pod(self._manifest, base.asking(requests), name=self.name)
            for rank in range(size):
                pod = model.copy()  # several times cheaper than a new one
                pod.name = f"{self.name}-{number}" if size == 1 else f"{self.name}-{number}-{rank}"
                pod.behavior = behavior
                yield Arrival(time, pod)


class Generators:
    """Several generators, merged in the order of time; at one time the earlier in the list comes first."""

    def __init__(self, specs: Sequence[GeneratorSpec], path: str, folder: Path = Path()) -> None:
        self._parts = [Generator(spec, f"{path}[{i}]", folder) for i, spec in enumerate(specs)]
        names = [part.name for part in self._parts]
        for i, name in enumerate(names):
            if name in names[:i]:
                why = f'"{name}" is the name of {path}[{names.index(name)}]: each generator needs its own'
                raise InputError(why, path=f"{path}[{i}].name")
        sizes: Counter[str] = Counter()
        for part in self._parts:
            sizes[part.counted] += part.size
        together = " and ".join(f"{size} {counted}" for counted, size in sizes.items())
        self.description = f"{together} from {len(self._parts)} generators"

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time."""
        return heapq.merge(*(part.arrivals(specs, streams) for part in self._parts), key=attrgetter("time"))


def _pod_spec(given: GeneratorSpec, path: str) -> dict[str, Any]:
    spec: dict[str, Any] = {"containers": [_CONTAINER], "restartPolicy": "Never"}
    if given.priority is not None:
        spec["priority"] = given.priority
    if given.scheduler_name is not None:
        spec["schedulerName"] = given.scheduler_name
    if given.tolerations:
        spec["tolerations"] = given.tolerations
    if given.node_selector:
        spec["nodeSelector"] = given.node_selector
    try:
        SpecTable().intern(spec)
    except InputError as error:
        raise InputError(error.message, path=f"{path}.{error.path.removeprefix('spec.')}") from None
    return spec
