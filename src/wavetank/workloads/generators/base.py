"""What all kinds of generators share: their common fields, and the jobs that they draw."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, repeat
from pathlib import Path
from random import Random
from typing import Any, ClassVar, NamedTuple

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.documents import reading, types
from wavetank.documents.definitions import Definitions, Schema
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.tables.jobtable import WORKLOAD, profile_name

MOST_PODS = 1_000_000_000  # more would run for weeks


class Drawn(NamedTuple):
    """A job: `size` pods that are submitted at `time` and run together."""

    time: Nanoseconds
    size: int
    behavior: PodBehavior
    requests: Amounts


# Draws jobs, given the generator's name and a function that returns its random stream for a purpose.
Draw = Callable[[str, Callable[[str], Random]], Iterator[Drawn]]

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,200}[a-z0-9])?")


def _read_name(value: object, path: str) -> str:
    name = reading.text(value, path)
    if not _NAME.fullmatch(name):
        raise InputError(f"expected lower-case letters, digits and inner dashes, got {name!r:.60}", path=path)
    return name


_name = Type("text", _read_name, {"type": "string", "pattern": f"^{_NAME.pattern}$"})


class GeneratorSpec(Structure, ABC):
    """Fields of every kind; those of each kind follow."""

    counted: ClassVar[str]  # what `size` counts: pods or jobs

    kind: str = field(types.text, doc="one of the kinds below")
    name: str | None = field(
        _name, default=None, otherwise="the kind", doc="pods are called `<name>-<number>`; unique among `generators`"
    )
    labels: dict[str, str] = field(types.labels, default={}, doc="labels of the pods")
    priority: int | None = field(types.integer(-(2**31), 2**31 - 1), default=None, doc="as in a pod")
    scheduler_name: str | None = field(types.text, default=None, doc="as in a pod")
    tolerations: list[Any] = field(types.manifests, default=[], doc="as in a pod")
    node_selector: dict[str, str] = field(types.labels, default={}, doc="as in a pod")

    @property
    @abstractmethod
    def size(self) -> int:
        """Returns how many pods or jobs there are."""

    @abstractmethod
    def drawing(self, path: str, folder: Path) -> Draw:
        """Returns a function that draws the jobs; `folder` is where the document's files are looked for."""


class Requests(NamedTuple):
    """What pods request: one of the choices, whose weights are given as their running sum."""

    choices: Sequence[Amounts]
    bounds: Sequence[float]

    def draws(self, random: Random) -> Iterator[Amounts]:
        """Yields a choice for each pod; a single one takes nothing from the stream."""
        if len(self.choices) == 1:
            yield from repeat(self.choices[0])
        while True:
            yield self.choices[bisect(self.bounds, random.random() * self.bounds[-1], 0, len(self.bounds) - 1)]


def _read_requests(value: object, path: str) -> Requests:
    if not isinstance(value, list):
        return Requests([reading.amounts(value, path)], [1.0])
    weights, choices = [], []
    for i, item in enumerate(reading.items(value, path)):
        choice = dict(reading.mapping(item, f"{path}[{i}]"))
        weights.append(reading.number(choice.pop("weight", 1), f"{path}[{i}].weight"))
        choices.append(reading.amounts(choice, f"{path}[{i}]"))
    if not 0 < sum(weights) < 1e300:
        raise InputError(f"expected weights with a sum above 0, got {sum(weights)}", path=path)
    return Requests(choices, list(accumulate(weights)))


def _requests_schema(definitions: Definitions) -> Schema:
    amounts = types.amounts.schema(definitions)
    weighted: Mapping[str, Any] = {
        "type": "object",
        "properties": {"weight": {"type": "number", "minimum": 0}},
        "additionalProperties": types.amount("").schema(definitions),
    }
    return {"anyOf": [amounts, {"type": "array", "minItems": 1, "items": weighted}]}


REQUESTS = Type("quantities by name, or list", _read_requests, _requests_schema)


def job_behavior(name: str, size: int, duration: Nanoseconds | None, exit_code: int) -> PodBehavior:
    """Returns how the pods of a job of `size` pods behave."""
    return PodBehavior(duration, exit_code, job=Job(name, WORKLOAD, profile_name(duration, exit_code), size))
