"""How long an application runs, by the number of its executors or task managers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.textcache import cached_text

# Annotation of a BatchJob, which its application inherits.
WORK = "wavetank.dev/work"

_FORMS = "a duration such as 90s, `amdahl SERIAL PARALLEL` or `table 1=90s 2=50s`"


class Work(Protocol):
    """How long some work takes."""

    def duration(self, workers: int) -> Nanoseconds:
        """Returns the run time with so many workers."""


@dataclass(frozen=True)
class FixedWork:
    """Work that takes the same time on any number of workers."""

    time: Nanoseconds

    def duration(self, workers: int) -> Nanoseconds:
        """Returns the run time."""
        return self.time


@dataclass(frozen=True)
class AmdahlWork:
    """Work by Amdahl's law: a serial part, and a parallel part that the workers share."""

    serial: Nanoseconds
    parallel: Nanoseconds

    def duration(self, workers: int) -> Nanoseconds:
        """Returns the run time."""
        return self.serial + self.parallel // max(workers, 1)


@dataclass(frozen=True)
class TableWork:
    """Measured run times by number of workers; between two of them the one with fewer workers counts."""

    times: Mapping[int, Nanoseconds]

    def duration(self, workers: int) -> Nanoseconds:
        """Returns the run time; with fewer workers than measured, that of the fewest."""
        known = [count for count in self.times if count <= workers]
        return self.times[max(known, default=min(self.times))]


DEFAULT_WORK = FixedWork(60 * SECOND)


@cached_text(1024)  # the applications of a job say the same each time
def parse_work(text: str) -> Work:
    """Reads a work model: `90s`, `amdahl 10s 80s` or `table 1=90s 2=50s`."""
    kind, *rest = text.split() or [""]
    try:
        if kind == "amdahl" and len(rest) == 2:
            return AmdahlWork(parse_duration(rest[0]), parse_duration(rest[1]))
        if kind == "table" and rest:
            pairs = (pair.partition("=") for pair in rest)
            return TableWork({int(count): parse_duration(time) for count, _, time in pairs})
        if not rest:
            return FixedWork(parse_duration(kind))
    except (InputError, ValueError):
        pass
    raise InputError(f"expected {_FORMS}, got {text!r}")
