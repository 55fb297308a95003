"""The Standard Workload Format of the Parallel Workloads Archive, version 2 and 2.2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.formats.swf.lines import COLUMNS, Rows, rows_of
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.tables.jobtable import NONE, Integers, Jobs, Kind, TableWorkload

PODS_PER_JOB = ("one-per-processor", "one")
OPTIONS = ("podsPerJob", "cpu")
FAILED, DONE, CANCELLED = 0, 1, 5  # field 11
EXIT_CODES = {FAILED: 1, CANCELLED: 143}  # of the statuses that are no success; 143 is the end by SIGTERM

_JOB, _SUBMIT, _WAIT, _RUN, _USED, _USED_KB = 0, 1, 2, 3, 4, 6
_ASKED, _ASKED_TIME, _ASKED_KB, _STATUS, _AFTER = 7, 8, 9, 10, 16
_STATUSES = range(-1, 6)
_PARTS = (2, 3, 4)  # statuses of the parts of a job that also has a record as a whole
_HEADER = re.compile(r";\s*(\w+):\s*(.*?)\s*")
_DATA = re.compile(rb"\s*-?\d+(\s+-?\d+(\.\d+)?){4,17}\s*")
_EXTENDED = re.compile(rb"\s*-?\d+(\s+-?\d+(\.\d+)?){17}\s.*")  # fields of a site's own after the 18


class SwfWorkload(TableWorkload):
    """The jobs of an SWF file, submitted at their submit time, without the waiting times of the trace.

    - A job of n processors becomes n pods `<job>-<rank>` of 1 CPU each that run together, as in Batsim; with
      `podsPerJob: one` it becomes one pod `<job>` of n CPU. `cpu` is the CPU of one processor. Requested
      processors count, those used where none are requested, 1 where neither is known.
    - Memory is what is requested per processor, what was used where nothing is requested, none if unknown.
    - The requested time is the walltime, unless the job ran longer than that.
    - Jobs that failed or were cancelled end with exit code 1 or 143. Those cancelled before they ran (status 5
      and no run time) and parts of jobs (status 2 to 4) are left out.
    - Fields after the 18th, which some sites add (MetaCentrum's logs), are ignored if the first line has them.
    - Jobs that follow another one (fields 17 and 18) are submitted when the file says, as they were in reality:
      a scheduler that is faster or slower does not move them.
    """

    def __init__(self, file: InputFile) -> None:
        one = fields.choice(file.options.get("podsPerJob", PODS_PER_JOB[0]), "options.podsPerJob", PODS_PER_JOB)
        cpu = fields.amounts({CPU: file.options.get("cpu", 1)}, "options")[CPU]
        self.header = read_header(file)
        self._per_processor = one != "one"
        self._milli = cpu
        super().__init__(file, self._read, _kind)

    @property
    def processors(self) -> int | None:
        """Returns the size of the machine by the header's MaxProcs, else MaxNodes."""
        stated = [self.header.get(name, "") for name in ("MaxProcs", "MaxNodes")]
        return next((int(size) for size in stated if re.fullmatch(r"[1-9]\d{0,8}", size)), None)

    def usage(self) -> tuple[Integers, Integers, Integers]:
        """Returns when each job began and ended in the trace, in nanoseconds, and its processors."""
        columns = [_usage(rows) for rows in self._clean(self._file.again())]
        starts, ends, processors = (np.concatenate(column) for column in zip(*columns, strict=True))
        return starts, ends, processors

    def _clean(self, file: InputFile) -> Iterator[Rows]:
        return (_checked(file, _without_the_unrun(file, rows)) for rows in rows_of(file))

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        for rows in self._clean(file):
            file.assumed += _assumptions(rows)
            yield self._jobs(rows)

    def _jobs(self, rows: Rows) -> Jobs:
        values = rows.values
        runs, limits = _times(values[:, _RUN]), _times(values[:, _ASKED_TIME])
        processors, memory = _processors(values), _memory(values)
        sizes = processors if self._per_processor else np.ones_like(processors)
        each = processors // sizes
        return Jobs(
            rows.lines,
            [str(job) for job in values[:, _JOB].astype(np.int64).tolist()],
            ["default"] * len(rows.lines),
            _times(values[:, _SUBMIT]),
            runs,
            np.where(limits > runs, limits, NONE),
            sizes,
            _exit_codes(values[:, _STATUS]),
            list(zip((each * self._milli).tolist(), (each * memory).tolist(), strict=True)),
        )


def is_swf(file: InputFile) -> bool:
    """Tells whether a file looks like SWF: it begins with its comments, or with a line of whole numbers."""
    lines = (line for line in file.head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip())
    first = next(lines, b"")
    return first.lstrip().startswith(b";") or any(form.fullmatch(first) for form in (_DATA, _EXTENDED))


def read_header(file: InputFile) -> Mapping[str, str]:
    """Returns the fields of the header comments, such as MaxProcs; of several of one name the first."""
    header: dict[str, str] = {}
    for line in file.head.decode("utf-8", "replace").split("\n"):
        if match := _HEADER.fullmatch(line.strip()):
            header.setdefault(match[1], match[2])
    return header


def _kind(ask: tuple[int, int]) -> Kind:
    cpu, memory = ask
    return Kind({CPU: cpu, MEMORY: memory} if memory > 0 else {CPU: cpu})


def _without_the_unrun(file: InputFile, rows: Rows) -> Rows:
    status = rows.values[:, _STATUS]
    part = np.isin(status, _PARTS)
    cancelled = (status == CANCELLED) & (rows.values[:, _RUN] <= 0)
    for left_out, kind in ((part, "part of a job"), (cancelled, "job that was cancelled before it ran")):
        if left_out.any():
            file.skipped[kind] += int(left_out.sum())
    return rows.where(~(part | cancelled))


def _checked(file: InputFile, rows: Rows) -> Rows:
    """Leaves out, or refuses, what has a number that cannot be."""
    for column, (least, most) in _BOUNDS.items():
        values = rows.values[:, column]
        bad = (values < least) | (values > most)
        if column not in _FRACTIONAL and values.dtype.kind == "f":
            bad |= values != np.floor(values)
        for i in np.flatnonzero(bad).tolist():
            path = f"line {rows.lines[i]}: {COLUMNS[column]}"
            error = InputError(f"expected a number from {least} to {most}, got {values[i]:g}", path=path)
            file.skip(error, f"job with a bad {COLUMNS[column]}")
        rows = rows.where(~bad)
    return rows


_FRACTIONAL = (_SUBMIT, _WAIT, _RUN, _ASKED_TIME, _USED_KB, _ASKED_KB)
_LONGEST = fields.LONGEST // SECOND
_MOST_KB = 1 << 32  # 4 TiB per processor
_BOUNDS = {  # of what is used; -1 is the format's own word for what is not known
    _JOB: (0, 2**53),
    _SUBMIT: (0, _LONGEST),
    _WAIT: (-1, _LONGEST),
    _RUN: (0, _LONGEST),
    _USED: (-1, fields.MOST_OBJECTS),
    _USED_KB: (-1, _MOST_KB),
    _ASKED: (-1, fields.MOST_OBJECTS),
    _ASKED_TIME: (-1, _LONGEST),
    _ASKED_KB: (-1, _MOST_KB),
    _STATUS: (min(_STATUSES), max(_STATUSES)),
}


def _assumptions(rows: Rows) -> dict[str, int]:
    values = rows.values
    counts = {
        "job of unknown size, taken as 1 processor": (values[:, [_ASKED, _USED]] <= 0).all(axis=1).sum(),
        "job that follows another, submitted at its recorded time": (values[:, _AFTER] > 0).sum(),
    }
    return {what: int(number) for what, number in counts.items() if number}


def _times(seconds: NDArray[Any]) -> Integers:
    """Returns nanoseconds, with NONE for what is not known."""
    ticks = seconds * SECOND  # a century of them fits
    return np.where(seconds < 0, NONE, ticks if ticks.dtype.kind == "i" else np.rint(ticks)).astype(np.int64)


def _processors(values: NDArray[Any]) -> Integers:
    asked, used = values[:, _ASKED], values[:, _USED]
    return np.where(asked > 0, asked, np.maximum(used, 1)).astype(np.int64)


def _memory(values: NDArray[Any]) -> Integers:
    """Returns bytes per processor, 0 if not known."""
    asked, used = values[:, _ASKED_KB], values[:, _USED_KB]
    kilobytes: NDArray[Any] = np.where(asked > 0, asked, np.maximum(used, 0))
    return (kilobytes * 1024).astype(np.int64)


def _exit_codes(status: NDArray[Any]) -> Integers:
    codes = np.zeros(len(status), np.int64)
    for state, code in EXIT_CODES.items():
        codes[status == state] = code
    return codes


def _usage(rows: Rows) -> tuple[Integers, Integers, Integers]:
    values = rows.values
    starts = _times(values[:, _SUBMIT] + np.maximum(values[:, _WAIT], 0))
    return starts, starts + _times(values[:, _RUN]), _processors(values)
