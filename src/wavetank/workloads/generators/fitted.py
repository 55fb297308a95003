from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from random import Random
from typing import NamedTuple

from wavetank.cluster.fields.resources import Amounts
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.convert.records import records_of
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
            raise InputError("a trace of less than two jobs tells nothing of the gaps between them")
        times = [record.time for record in records]
        self._gaps = [after - before for before, after in pairwise(times)]
        known: dict[tuple[tuple[str, int], ...], Amounts] = {}
        self._bodies = [
            Body(
                record.size,
                record.run.duration,
                record.run.exit_code,
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
