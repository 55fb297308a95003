"""The files of a run: PREFIX_jobs.csv, PREFIX_schedule.csv and the traces."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wavetank.batsim.jobs.job import Job, JobState
from wavetank.batsim.outputs.recorder import COLUMNS, Recorder
from wavetank.batsim.outputs.totals import Totals, execution_time, totals_of
from wavetank.errors import InputError
from wavetank.files import replacing
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.schema import JOBS, SCHEDULE
from wavetank.results.write.csvfiles import quoted_cell
from wavetank.workloads.formats.batsim.intervals import format_intervals

_STATES = ("time", *(f"nb_{state}" for state in COLUMNS))
_ENERGIES = ("time", "energy", "event_type", "wattmin", "epower")
_PSTATES = ("time", "machine_id", "new_pstate")


class Files:
    """Names of the files, all with one prefix, which may name a folder."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def prepare(self) -> None:
        """Makes the folder; InputError if it cannot be written to."""
        folder = self.path("jobs.csv").parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {folder}: {error.strerror}", source="--export") from None

    def path(self, name: str) -> Path:
        """Returns the path of a file."""
        return Path(f"{self._prefix}_{name}")

    def table(self, name: str, header: Iterable[str], rows: Iterable[str]) -> None:
        """Writes a CSV file; half a file is never left behind."""
        with replacing(self.path(name)) as part, part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(",".join(header) + "\n")
            file.writelines(f"{row}\n" for row in rows)


def write_files(
    files: Files,
    recorder: Recorder,
    totals: Totals,
    now: Nanoseconds,
    *,
    machine_states: bool = True,
) -> None:
    """Writes what was recorded until now."""
    files.table("jobs.csv", JOBS.names(), map(_job, recorder.jobs))
    row = totals_of(recorder, totals)
    files.table("schedule.csv", SCHEDULE.names(), [",".join(str(row[name]) for name in SCHEDULE.names())])
    if machine_states:
        rows = (f"{_time(time)},{','.join(map(str, counts))}" for time, counts in recorder.states)
        files.table("machine_states.csv", _STATES, rows)
    if recorder.paje is not None:
        recorder.paje.write(files.path("schedule.trace"), now)
    if totals.energy:
        files.table("consumed_energy.csv", _ENERGIES, map(_energy, recorder.energies))
        changes = (
            f"{time / SECOND:g},{format_intervals(numbers)},{pstate}" for time, numbers, pstate in recorder.pstates
        )
        files.table("pstate_changes.csv", _PSTATES, changes)


def _job(job: Job) -> str:
    cells = (
        quoted_cell(job.name),
        quoted_cell(job.workload),
        quoted_cell(job.profile),
        _time(job.submission),
        str(job.size),
        "-1.000000" if job.walltime is None else _time(job.walltime),
        str(int(job.state is JobState.SUCCESS)),
        str(job.state),
        *_times(job),
        format_intervals(job.allocation),
        "" if job.started is None else f"{job.joules:.6f}",
        '"' + job.metadata.replace('"', '""') + '"',
    )
    return ",".join(cells)


def _times(job: Job) -> tuple[str, ...]:
    """Returns start, execution, finish, wait, turnaround and stretch, all empty for a job that was rejected."""
    if job.started is None:
        return ("",) * 6
    execution = execution_time(job)
    turnaround = job.started + execution - job.submission
    times = (job.started, execution, job.started + execution, job.started - job.submission, turnaround)
    return (*map(_time, times), f"{turnaround / execution:.6f}")


def _energy(row: tuple[Nanoseconds, float, str, float, float | None]) -> str:
    time, joules, kind, least, watts = row
    return f"{time / SECOND:g},{joules:g},{kind},{least:g},{'NA' if watts is None else f'{watts:g}'}"


def _time(time: Nanoseconds) -> str:
    return f"{time / SECOND:.6f}"
