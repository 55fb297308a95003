"""Generators of jobs like those of a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

from wavetank.cluster.fields.resources import Amounts
from wavetank.documents import types
from wavetank.documents.structure import field
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.generators.base import MOST_PODS, Draw, Drawn, GeneratorSpec, job_behavior
from wavetank.workloads.open import FORMATS, open_workload
from wavetank.workloads.records import records_of
from wavetank.workloads.workload import Workload

SAMPLE = 100_000  # jobs of a trace that are looked at


class Body(NamedTuple):
    """What a job of a trace was like."""

    size: int
    duration: Nanoseconds | None
    exit_code: int
    requests: Amounts


class Sample:
    """The beginning of a trace, from which jobs like its own are drawn.

    Gaps between submissions are drawn from those of the trace, apart from the jobs; a job's size, duration and
    requests are drawn together, since they depend on each other. What follows on what is lost, a daily rhythm too.
    """

    def __init__(self, workload: Workload) -> None:
        records = list(islice(records_of(workload)(), SAMPLE))
        if len(records) < 2:
            raise InputError("a trace of fewer than two jobs says nothing about the gaps between them")
        times = [record.time for record in records]
        self._gaps = [after - before for before, after in pairwise(times)]
        known: dict[tuple[tuple[str, int], ...], Amounts] = {}
        self._bodies = [
            Body(
                record.size,
                record.behavior.duration,
                record.behavior.exit_code,
                known.setdefault(tuple(record.requests.items()), record.requests),
            )
            for record in records
        ]

    def times(self, random: Random) -> Iterator[Nanoseconds]:
        """Yields when jobs are submitted, without end; the first at 0."""
        time = 0
        while True:
            yield time
            time += random.choice(self._gaps)

    def bodies(self, random: Random) -> Iterator[Body]:
        """Yields what jobs are like, without end."""
        while True:
            yield random.choice(self._bodies)


class FittedSpec(GeneratorSpec):
    """Jobs drawn from those of a trace."""

    counted = "jobs"

    jobs: int = field(types.integer(1, MOST_PODS), doc="how many jobs")
    file: str = field(types.file, doc="the trace that jobs are drawn from")
    format: str | None = field(
        types.nullable(types.choice(FORMATS)),
        default=None,
        otherwise="recognized by the content",
        doc="the trace's format",
    )
    lenient: bool = field(types.boolean, default=False, doc="skip and count unusable jobs")

    @property
    def size(self) -> int:
        """Returns how many jobs there are."""
        return self.jobs

    def drawing(self, path: str, folder: Path) -> Draw:
        """Reads the trace, and returns a function that draws the jobs."""
        try:
            sample = Sample(open_workload(folder / self.file, self.format, self.lenient))
        except InputError as error:
            raise error.inside(path=f"{path}.file") from None

        def draw(name: str, stream: Callable[[str], Random]) -> Iterator[Drawn]:
            times = islice(sample.times(stream("arrivals")), self.jobs)
            for number, (time, body) in enumerate(zip(times, sample.bodies(stream("jobs")), strict=False)):
                behavior = job_behavior(f"{name}-{number}", body.size, body.duration, body.exit_code)
                yield Drawn(time, body.size, behavior, body.requests)

        return draw
