"""What generators draw: when jobs come, how large they are, how long they run and what they ask for."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, islice, repeat
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from wavetank.cluster.fields.resources import CPU, Amounts
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Distribution
from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.workloads.generators.arrivaltimes import TIMES
from wavetank.workloads.generators.fitted import Sample
from wavetank.workloads.generators.lublin import TYPES, Lublin, read_parameters
from wavetank.workloads.open import open_workload
from wavetank.workloads.tables.jobtable import WORKLOAD, profile_name


class Drawn(NamedTuple):
    """A job: `size` pods that are submitted at `time` and run together."""

    time: Nanoseconds
    size: int
    run: PodBehavior
    requests: Amounts


# Draws jobs, given the generator's name and what returns its random stream for a purpose.
Draw = Callable[[str, Callable[[str], Random]], Iterator[Drawn]]


# Reads the fields of a kind of generator from a document.
Reader = Callable[[Mapping[str, Any], str, Path], Draw]


class _Requests(NamedTuple):
    """What pods ask for: one of the choices, whose weights are given as their running sum."""

    choices: Sequence[Amounts]
    bounds: Sequence[float]

    def draws(self, random: Random) -> Iterator[Amounts]:
        """Yields a choice for each pod; a single one takes nothing from the stream."""
        if len(self.choices) == 1:
            yield from repeat(self.choices[0])
        while True:
            yield self.choices[bisect(self.bounds, random.random() * self.bounds[-1], 0, len(self.bounds) - 1)]


def _pods(kind: str, given: Mapping[str, Any], path: str, folder: Path) -> Draw:
    pods = fields.integer(given.get("pods"), f"{path}.pods", 1)
    times = TIMES[kind](given, pods, path)
    duration = fields.distribution(given["duration"], f"{path}.duration") if "duration" in given else None
    requests = _requests(given.get("requests", {}), f"{path}.requests")

    def draw(name: str, stream: Callable[[str], Random]) -> Iterator[Drawn]:
        runs, asked = _runs(duration, stream("durations")), requests.draws(stream("requests"))
        for time, run, amounts in zip(times(stream("arrivals")), runs, asked, strict=False):
            yield Drawn(time, 1, run, amounts)

    return draw


def _lublin(given: Mapping[str, Any], path: str, folder: Path) -> Draw:
    """Reads {jobs, processors: 128, type: all, requests: {cpu: 1} per processor, parameters: {}}."""
    jobs = fields.integer(given.get("jobs"), f"{path}.jobs", 1)
    kind = fields.choice(given.get("type", "all"), f"{path}.type", TYPES)
    size = given.get("processors")
    if size is not None:
        size = fields.integer(size, f"{path}.processors", 1, fields.MOST_OBJECTS)
    model = Lublin(read_parameters(kind, given.get("parameters", {}), f"{path}.parameters"), size)
    requests = _requests(given.get("requests", {CPU: 1}), f"{path}.requests")

    def draw(name: str, stream: Callable[[str], Random]) -> Iterator[Drawn]:
        drawn = islice(model.jobs(stream("jobs")), jobs)
        for number, (job, amounts) in enumerate(zip(drawn, requests.draws(stream("requests")), strict=False)):
            run = _run_of_job(f"{name}-{number}", job.processors, seconds(job.runs), 0)
            yield Drawn(seconds(job.submitted), job.processors, run, amounts)

    return draw


def _fitted(given: Mapping[str, Any], path: str, folder: Path) -> Draw:
    """Reads {jobs, file, format, lenient: false}."""
    jobs = fields.integer(given.get("jobs"), f"{path}.jobs", 1)
    file = folder / fields.text(given.get("file"), f"{path}.file")
    try:
        sample = Sample(open_workload(file, given.get("format"), bool(given.get("lenient"))))
    except InputError as error:
        raise error.inside(path=f"{path}.file") from None

    def draw(name: str, stream: Callable[[str], Random]) -> Iterator[Drawn]:
        times = islice(sample.times(stream("arrivals")), jobs)
        for number, (time, body) in enumerate(zip(times, sample.bodies(stream("jobs")), strict=False)):
            run = _run_of_job(f"{name}-{number}", body.size, body.duration, body.exit_code)
            yield Drawn(time, body.size, run, body.requests)

    return draw


KINDS: Mapping[str, Reader] = {
    **{kind: partial(_pods, kind) for kind in TIMES},
    "lublin": _lublin,
    "fitted": _fitted,
}


def _run_of_job(name: str, size: int, duration: Nanoseconds | None, exit_code: int) -> PodBehavior:
    return PodBehavior(duration, exit_code, job=Job(name, WORKLOAD, profile_name(duration, exit_code), size))


def _runs(duration: Distribution | None, random: Random) -> Iterator[PodBehavior]:
    if duration is None or isinstance(duration, Constant):
        yield from repeat(PodBehavior(None if duration is None else seconds(duration.value)))
    else:
        while True:  # a heavy tail may reach beyond what the clock can count
            yield PodBehavior(min(seconds(duration.sample(random)), fields.LONGEST))


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
