"""Microsoft's Philly trace as the simulators of Pollux and ElasticFlow use it: a CSV file of training jobs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from wavetank.cluster.objects.gpus import GPU
from wavetank.documents import reading as fields
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.tables import windows
from wavetank.workloads.tables.jobtable import Jobs, Kind, TableWorkload
from wavetank.workloads.tables.tracerows import Row, TraceJob, cells_of_head, jobs_of, rows_under_header

OPTIONS = ("gpusPerPod", *windows.OPTIONS)
DAWN = 8  # o'clock: where K8sSim parts the day and the night of GPU traces
GPUS_PER_POD = 8  # at most: the larger of Philly's machines have as many

_COLUMNS = ("timestamp", "duration", "num_gpus", "gpu_time", "cluster")
_NO_CPU = "a job whose CPU and memory the trace does not tell asks for GPUs only"


def is_philly(file: InputFile) -> bool:
    """Tells whether a file looks like this trace."""
    return set(_COLUMNS) <= set(cells_of_head(file))


class PhillyWorkload(TableWorkload):
    """The jobs of the trace, named `job-<line>`, with their virtual cluster as the label `cluster`.

    A job becomes the fewest equal pods of at most `gpusPerPod` (8) GPUs, which run together. Times count from the
    first submission, or from the opening of the `window` (day: 8 to 24 h, night: 0 to 8 h) of all days or of one
    `day`.
    """

    def __init__(self, file: InputFile) -> None:
        self._window = windows.read_window(file.options, DAWN)
        self._most = fields.integer(file.options.get("gpusPerPod", GPUS_PER_POD), "options.gpusPerPod", 1, 1024)
        first = _first(file)
        self._midnight = first - first % windows.DAY
        self._shift = 0 if {*windows.OPTIONS} & {*file.options} else first - self._midnight
        super().__init__(file, self._read, _kind)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        return jobs_of(file, rows_under_header(file, _COLUMNS), lambda row: self._job(file, row))

    def _job(self, file: InputFile, row: Row) -> TraceJob | None:
        time = self._window.since(_moment(row) - self._midnight)
        if time is None:
            return None
        gpus = row.integer("num_gpus", 1, 10**6)
        size = next(size for size in range(-(-gpus // self._most), gpus + 1) if gpus % size == 0)
        ask = _Ask(gpus // size, row.label("cluster"))
        file.assumed[_NO_CPU] += 1
        return TraceJob(row.line, f"job-{row.line}", time - self._shift, row.time("duration"), ask, size)


class _Ask(NamedTuple):
    gpus: int
    cluster: str


def _kind(ask: _Ask) -> Kind:
    return Kind({GPU: ask.gpus}, labels={"cluster": ask.cluster})


def _first(file: InputFile) -> Nanoseconds:
    """Returns the earliest submission; rows that cannot be used are found by the reading that follows."""
    quiet = file.again()
    quiet.lenient = True
    rows = rows_under_header(quiet, _COLUMNS)
    return min((moment for row in rows if (moment := _calendar(row.get("timestamp"))) is not None), default=0)


def _moment(row: Row) -> Nanoseconds:
    moment = _calendar(row.get("timestamp"))
    if moment is None:
        raise row.refusal("timestamp", "a time such as 2017-10-09 07:01:55")
    return moment


def _calendar(text: str) -> Nanoseconds | None:
    """Returns the time since the beginning of the calendar; the trace states no time zone, so none is applied."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment.toordinal() * 86_400 + moment.hour * 3600 + moment.minute * 60 + moment.second) * SECOND
