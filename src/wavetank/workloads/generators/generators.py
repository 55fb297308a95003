"""Workloads made up by a few numbers in an experiment."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.randomness import Streams
from wavetank.workloads.documentfields import GENERATOR, GENERATOR_KINDS
from wavetank.workloads.generators.draws import KINDS, Draw
from wavetank.workloads.workload import Arrival

_CONTAINER = {"name": "main", "image": "busybox", "imagePullPolicy": "IfNotPresent", "command": ["sleep"]}
_OF_THE_SPEC = ("priority", "schedulerName", "tolerations", "nodeSelector")
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,200}[a-z0-9])?")


class Generator:
    """Pods `<name>-<number>`, or jobs of pods `<name>-<number>-<rank>`, that follow the seed by streams of their own.

    `folder` is where files that the document names are looked for.
    """

    def __init__(self, document: object, path: str, folder: Path = Path()) -> None:
        given = fields.mapping(document, path)
        kind = fields.choice(given.get("kind"), f"{path}.kind", KINDS)
        fields.mapping(document, path, (*GENERATOR, *GENERATOR_KINDS[kind]))
        self.name = _name(given.get("name", kind), f"{path}.name")
        self._draw: Draw = KINDS[kind](given, path, folder)
        self._manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(given, path)}
        self._spec = _spec(given, path)
        self.counted = "pods" if "pods" in given else "jobs"
        self.size: int = given[self.counted]
        self.description = f"{self.size} {self.counted} from a {kind} generator"
        self._made_of = (document, path, folder)

    def __reduce__(self) -> tuple[object, ...]:  # what draws is made of closures, which cannot be pickled
        return Generator, self._made_of

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time."""
        models: dict[int, Pod] = {}
        base = specs.intern(self._spec)
        drawn = self._draw(self.name, lambda what: streams.stream(f"workload/{self.name}/{what}"))
        for number, (time, size, run, requests) in enumerate(drawn):
            model = models.get(id(requests))  # the generator keeps its few requests, so that they can be told by id
            if model is None:
                model = models[id(requests)] = Pod(self._manifest, base.asking(requests), name=self.name)
            for rank in range(size):
                pod = model.copy()  # several times cheaper than a new one
                pod.name = f"{self.name}-{number}" if size == 1 else f"{self.name}-{number}-{rank}"
                pod.behavior = run
                yield Arrival(time, pod)


class Generators:
    """Several generators, merged in the order of time; at one time the earlier in the list comes first."""

    def __init__(self, documents: object, path: str, folder: Path = Path()) -> None:
        items = fields.items(documents, path)
        self._parts = [Generator(item, f"{path}[{i}]", folder) for i, item in enumerate(items)]
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


def _name(value: object, path: str) -> str:
    name = fields.text(value, path)
    if not _NAME.fullmatch(name):
        raise InputError(f"expected lower-case letters, digits and inner dashes, got {name!r:.60}", path=path)
    return name


def _metadata(given: Mapping[str, Any], path: str) -> dict[str, Any]:
    return {"labels": fields.labels(given["labels"], f"{path}.labels")} if "labels" in given else {}


def _spec(given: Mapping[str, Any], path: str) -> dict[str, Any]:
    spec = {"containers": [_CONTAINER], "restartPolicy": "Never"}
    spec |= {field: given[field] for field in _OF_THE_SPEC if field in given}
    if "priority" in spec:
        fields.integer(spec["priority"], f"{path}.priority", -(2**31), 2**31 - 1)
    if "schedulerName" in spec:
        fields.text(spec["schedulerName"], f"{path}.schedulerName")
    if "nodeSelector" in spec:
        fields.labels(spec["nodeSelector"], f"{path}.nodeSelector")
    try:
        SpecTable().intern(spec)
    except InputError as error:
        raise InputError(error.message, path=f"{path}.{error.path.removeprefix('spec.')}") from None
    return spec
