"""Workloads made up by a few numbers in an experiment."""

from __future__ import annotations

import heapq
import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, repeat
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple

from wavetank.cluster.pod import Pod
from wavetank.cluster.podspec import SpecTable
from wavetank.cluster.resources import Amounts
from wavetank.cluster.run import Run
from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Distribution, Exponential
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.kernel.randomness import Streams
from wavetank.workloads import fields
from wavetank.workloads.workload import Arrival

Times = Callable[[Random], Iterator[Nanoseconds]]

_CONTAINER = {"name": "main", "image": "busybox", "imagePullPolicy": "IfNotPresent", "command": ["sleep"]}
_OF_THE_SPEC = ("priority", "schedulerName", "tolerations", "nodeSelector")
_COMMON = ("kind", "pods", "name", "duration", "requests", "labels", *_OF_THE_SPEC)
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,200}[a-z0-9])?")


class _Requests(NamedTuple):
    """What pods ask for: one of the choices, whose weights are given as their running sum."""

    choices: Sequence[Amounts]
    bounds: Sequence[float]


class Generator:
    """Pods `<name>-<number>` whose times, durations and requests follow the seed by streams of their own."""

    def __init__(self, document: object, path: str) -> None:
        given = fields.mapping(document, path)
        kind = given.get("kind")
        if not isinstance(kind, str) or kind not in _KINDS:
            raise InputError(f"expected one of {', '.join(_KINDS)}, got {kind!r:.60}", path=f"{path}.kind")
        known, read_times = _KINDS[kind]
        fields.mapping(document, path, (*_COMMON, *known))
        self.name = _name(given.get("name", kind), f"{path}.name")
        self.pods = fields.integer(given.get("pods"), f"{path}.pods", 1)
        self._times = read_times(given, self.pods, path)
        self._duration = fields.distribution(given["duration"], f"{path}.duration") if "duration" in given else None
        self._requests = _requests(given.get("requests", {}), f"{path}.requests")
        self._manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(given, path)}
        self._spec = _spec(given, path)
        self.description = f"{self.pods} pods from a {kind} generator"

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time."""
        times, durations, requests = (
            streams.stream(f"workload/{self.name}/{what}") for what in ("arrivals", "durations", "requests")
        )
        pods = zip(self._times(times), _runs(self._duration, durations), self._models(specs, requests), strict=False)
        for number, (time, run, model) in enumerate(pods):
            pod = model.copy()  # several times cheaper than a new one
            pod.name = f"{self.name}-{number}"
            pod.run = run
            yield Arrival(time, pod)

    def _models(self, specs: SpecTable, random: Random) -> Iterator[Pod]:
        """Yields, for each pod, one to copy that asks for what the pod shall."""
        base = specs.intern(self._spec)
        choices, bounds = self._requests
        models = [Pod(self._manifest, base.asking(choice), name=self.name) for choice in choices]
        if len(models) == 1:
            yield from repeat(models[0])
        while True:
            yield models[bisect(bounds, random.random() * bounds[-1], 0, len(bounds) - 1)]


class Generators:
    """Several generators, merged in the order of time; at one time the earlier in the list comes first."""

    def __init__(self, documents: object, path: str) -> None:
        self._parts = [Generator(item, f"{path}[{i}]") for i, item in enumerate(fields.items(documents, path))]
        names = [part.name for part in self._parts]
        for i, name in enumerate(names):
            if name in names[:i]:
                why = f'"{name}" is the name of {path}[{names.index(name)}]: each generator needs its own'
                raise InputError(why, path=f"{path}[{i}].name")
        pods = sum(part.pods for part in self._parts)
        self.description = f"{pods} pods from {len(self._parts)} generators"

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time."""
        return heapq.merge(*(part.arrivals(specs, streams) for part in self._parts), key=attrgetter("time"))


def _runs(duration: Distribution | None, random: Random) -> Iterator[Run]:
    if duration is None or isinstance(duration, Constant):
        yield from repeat(Run(None if duration is None else seconds(duration.value)))
    else:
        while True:
            yield Run(seconds(duration.sample(random)))


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


def _requests(value: object, path: str) -> _Requests:
    if not isinstance(value, list):
        return _Requests([fields.amounts(value, path)], [1.0])
    weights, choices = [], []
    for i, item in enumerate(fields.items(value, path)):
        choice = dict(fields.mapping(item, f"{path}[{i}]"))
        weights.append(fields.number(choice.pop("weight", 1), f"{path}[{i}].weight"))
        choices.append(fields.amounts(choice, f"{path}[{i}]"))
    if not 0 < sum(weights) < 1e300:
        raise InputError(f"expected weights with a sum above 0, got {sum(weights)}", path=path)
    return _Requests(choices, list(accumulate(weights)))
