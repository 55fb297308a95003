"""The Lublin-Feitelson model of the workload of parallel machines.

U. Lublin and D. G. Feitelson: The workload on parallel supercomputers: modeling the characteristics of rigid jobs.
Journal of Parallel and Distributed Computing 63(11), 2003, pages 1105 to 1122; parameters as in the authors' program
lublin99.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from wavetank.cluster.fields.resources import CPU
from wavetank.documents import reading, types
from wavetank.documents.structure import field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.kernel.durations import seconds
from wavetank.workloads.generators.base import MOST_PODS, REQUESTS, Draw, Drawn, GeneratorSpec, Requests, job_behavior

_BUCKETS = 48  # half hours of a day
_DAY = 86_400.0
_DAY_STARTS = 11  # the bucket in which the model's day begins, in the morning
_LONGEST_RUN, _LONGEST_GAP = 12, 13  # natural logarithms of seconds: what is longer is drawn again
_TERMS = 500


@dataclass(frozen=True)
class Parameters:
    """Parameters by the names that the authors gave them.

    Sizes: `serial_prob` and `pow2_prob` are shares of jobs of one processor and of a power of two; the logarithm of
    the others is uniform on [ulow, umed] with probability `uprob`, else on [umed, uhi]. Logarithms of run times are
    gamma (a1, b1) with probability pa · processors + pb, else gamma (a2, b2). Logarithms of gaps are gamma
    (aarr · arar, barr), in a time that passes as the gamma (anum, bnum) over the day says.
    """

    serial_prob: float = 0.244
    pow2_prob: float = 0.576
    ulow: float = 0.8
    umed: float = 4.5
    uhi: float = 7.0
    uprob: float = 0.86
    a1: float = 4.2
    b1: float = 0.94
    a2: float = 312.0
    b2: float = 0.03
    pa: float = -0.0054
    pb: float = 0.78
    aarr: float = 10.2303
    barr: float = 0.4871
    anum: float = 8.1737
    bnum: float = 3.9631
    arar: float = 1.0225


_BATCH = Parameters(
    serial_prob=0.2927, pow2_prob=0.6686, ulow=1.2, umed=5.0, uhi=7.0, uprob=0.875,
    a1=6.57, b1=0.823, a2=639.1, b2=0.0156, pa=-0.003, pb=0.6986,
    aarr=6.0415, barr=0.8531, anum=6.1271, bnum=5.2740, arar=1.0519,
)  # fmt: skip
_INTERACTIVE = Parameters(
    serial_prob=0.1541, pow2_prob=0.625, ulow=1.0, umed=3.0, uhi=5.5, uprob=0.705,
    a1=3.8351, b1=0.6605, a2=7.073, b2=0.6856, pa=-0.0118, pb=0.9156,
    aarr=6.5510, barr=0.6621, anum=8.9186, bnum=3.6680, arar=0.9797,
)  # fmt: skip
TYPES = {"all": Parameters(), "batch": _BATCH, "interactive": _INTERACTIVE}


class ModelJob(NamedTuple):
    """A job of the model; times are in seconds."""

    submitted: float
    processors: int
    runs: float


class Lublin:
    """Draws jobs for a machine of some processors; the day begins at midnight.

    For another size than the authors' 128 processors, `uhi` is its logarithm, and `umed` keeps its distance to it
    as they advise.
    """

    def __init__(self, parameters: Parameters, processors: int | None = None) -> None:
        if processors is not None:
            top = math.log2(processors)
            lower = max(0.0, top - (parameters.uhi - parameters.umed))
            parameters = dataclasses.replace(parameters, uhi=top, umed=lower, ulow=min(parameters.ulow, lower))
        self.parameters = parameters
        self._most = max(1, round(2**parameters.uhi))
        self._clock = np.linspace(0, _DAY, _BUCKETS + 1)
        self._passed = np.concatenate(([0.0], np.cumsum(_weights(parameters)))) * _DAY / _BUCKETS

    def jobs(self, random: Random) -> Iterator[ModelJob]:
        """Yields jobs without end, in the order of time."""
        passed = 0.0
        while True:
            passed += self._gap(random)
            days, rest = divmod(passed, _DAY)
            processors = self._processors(random)
            submitted = days * _DAY + float(np.interp(rest, self._passed, self._clock))
            yield ModelJob(submitted, processors, self._run_time(random, processors))

    def _processors(self, random: Random) -> int:
        p, kind = self.parameters, random.random()
        if kind <= p.serial_prob:
            return 1
        low, high = (p.ulow, p.umed) if random.random() <= p.uprob else (p.umed, p.uhi)
        exponent = low + (high - low) * random.random()
        if kind <= p.serial_prob + p.pow2_prob:
            exponent = math.floor(exponent + 0.5)
        return min(self._most, round(2**exponent))

    def _run_time(self, random: Random, processors: int) -> float:
        p, log = self.parameters, math.inf
        while log > _LONGEST_RUN:
            first = random.random() <= p.pa * processors + p.pb
            log = random.gammavariate(p.a1, p.b1) if first else random.gammavariate(p.a2, p.b2)
        return math.exp(log)

    def _gap(self, random: Random) -> float:
        p, log = self.parameters, math.inf
        while log > _LONGEST_GAP:
            log = random.gammavariate(p.aarr * p.arar, p.barr)
        return math.exp(log)


_PARAMETERS = [each.name for each in dataclasses.fields(Parameters)]


def _read_changes(value: object, path: str) -> dict[str, float]:
    given = reading.mapping(value, path, _PARAMETERS)
    for name, each in given.items():
        number = isinstance(each, int | float) and not isinstance(each, bool)
        if not number or not (0 < abs(each) <= 1e4) or (each < 0 and name != "pa"):
            raise InputError(f"expected a number above 0, at most 10000, got {each!r:.60}", path=f"{path}.{name}")
    return {name: float(each) for name, each in given.items()}


_CHANGES = Type(
    "numbers by name",
    _read_changes,
    {
        "type": "object",
        "properties": {
            name: {"type": "number", "maximum": 1e4} | ({"minimum": -1e4} if name == "pa" else {"exclusiveMinimum": 0})
            for name in _PARAMETERS
        },
        "additionalProperties": False,
    },
)


class LublinSpec(GeneratorSpec):
    """Jobs of the Lublin-Feitelson model of parallel machines."""

    counted = "jobs"

    jobs: int = field(types.integer(1, MOST_PODS), doc="how many jobs")
    processors: int | None = field(
        types.nullable(types.integer(1, reading.MOST_OBJECTS)),
        default=None,
        otherwise="128",
        doc="of the machine; a job has a pod for each of its own",
    )
    type: str = field(types.choice(TYPES), default="all", doc="`batch`, `interactive` or `all`")
    requests: Requests = field(REQUESTS, default={CPU: 1}, doc="what a pod requests")
    parameters: dict[str, float] = field(
        _CHANGES, default={}, doc="parameters of the model by the names that its authors gave them"
    )

    @property
    def size(self) -> int:
        """Returns how many jobs there are."""
        return self.jobs

    def drawing(self, path: str, folder: Path) -> Draw:
        """Returns a function that draws the jobs; InputError if the parameters make no sense together."""
        parameters = dataclasses.replace(TYPES[self.type], **self.parameters)
        _check_ranges(parameters, f"{path}.parameters")
        model = Lublin(parameters, self.processors)

        def draw(name: str, stream: Callable[[str], Random]) -> Iterator[Drawn]:
            drawn = islice(model.jobs(stream("jobs")), self.jobs)
            for number, (job, amounts) in enumerate(zip(drawn, self.requests.draws(stream("requests")), strict=False)):
                behavior = job_behavior(f"{name}-{number}", job.processors, seconds(job.runs), 0)
                yield Drawn(seconds(job.submitted), job.processors, behavior, amounts)

        return draw


def _check_ranges(p: Parameters, path: str) -> None:
    """Refuses sizes that no machine has, and logarithms that would be drawn again forever."""
    if not p.ulow <= p.umed <= p.uhi <= 20:
        raise InputError("expected ulow ≤ umed ≤ uhi ≤ 20", path=path)
    for what, mean, most in (
        ("run times (a1 · b1)", p.a1 * p.b1, _LONGEST_RUN),
        ("run times (a2 · b2)", p.a2 * p.b2, _LONGEST_RUN),
        ("gaps (aarr · arar · barr)", p.aarr * p.arar * p.barr, _LONGEST_GAP),
    ):
        if mean > most:
            raise InputError(f"the mean logarithm of {what} is {mean:g}: expected at most {most}", path=path)


def _weights(p: Parameters) -> list[float]:
    """Returns how much faster or slower than on average jobs come in each half hour, from midnight."""
    weights = [0.0] * _BUCKETS
    for bucket in range(_DAY_STARTS, _DAY_STARTS + _BUCKETS):
        share = _gamma_cdf((bucket + 0.5) / p.bnum, p.anum) - _gamma_cdf((bucket - 0.5) / p.bnum, p.anum)
        weights[(bucket - 1) % _BUCKETS] = max(share, 1e-9)  # an hour without jobs still passes
    mean = sum(weights) / _BUCKETS
    return [weight / mean for weight in weights]


def _gamma_cdf(x: float, shape: float) -> float:
    """Returns the distribution function of gamma (shape, 1), by its series."""
    term = total = 1 / shape
    for n in range(1, _TERMS):
        term *= x / (shape + n)
        total += term
        if term < total * 1e-12:
            break
    return min(1.0, total * math.exp(shape * math.log(x) - x - math.lgamma(shape)))
