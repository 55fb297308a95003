"""A run as Batsim writes it: jobs.csv and schedule.csv, column for column."""

from __future__ import annotations

from operator import mul
from pathlib import Path

import numpy as np

from wavetank.cluster.objects.podbehavior import Job
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.columns.decimals import Integers, microsecond_cells, quotients
from wavetank.results.columns.podtable import PodTable
from wavetank.results.metrics.jobs import STATES, SUCCESS, FinishedJobs
from wavetank.results.write.tables import Texts, quoted, write_columns, write_csv

JOB_COLUMNS = (
    "job_id",
    "workload_name",
    "profile",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "success",
    "final_state",
    "starting_time",
    "execution_time",
    "finish_time",
    "waiting_time",
    "turnaround_time",
    "stretch",
    "allocated_resources",
    "consumed_energy",
    "metadata",
)

_ENDS = [f"{int(state == SUCCESS)},{name}" for state, name in enumerate(STATES)]


def write_batsim(pods: PodTable, jobs: FinishedJobs, folder: Path, version: str) -> None:
    """Writes jobs.csv and schedule.csv; a pod of no stated job is a job of its own."""
    write_columns(folder / "jobs.csv", JOB_COLUMNS, len(jobs.ids), lambda part: _columns(jobs, part))
    figures = _figures(jobs, len(pods.recorder.nodes), version)
    write_csv(folder / "schedule.csv", sorted(figures), [[figures[key] for key in sorted(figures)]])


def _columns(jobs: FinishedJobs, part: slice) -> list[Texts]:
    stated = jobs.stated[part]
    times = (jobs.started, jobs.execution, jobs.finished, jobs.waiting, jobs.turnaround)
    return [
        quoted(jobs.ids[part]),
        [_kind(job) if job else "w0,pod" for job in stated],
        microsecond_cells(jobs.submitted[part]),
        [_requested(job) if job else "1,-1" for job in stated],
        [_ENDS[state] for state in jobs.states[part].tolist()],
        microsecond_cells(*(column[part] for column in times), ratios=[jobs.stretch[part]]),
        jobs.machines[part],
        ["-1,"] * len(stated),  # energy, and no metadata
    ]


def _kind(job: Job) -> str:
    return ",".join(quoted((job.workload, job.profile)))


def _requested(job: Job) -> str:
    return f"{job.size},{'-1' if job.walltime is None else _time(job.walltime)}"


def _figures(jobs: FinishedJobs, machines: int, version: str) -> dict[str, object]:
    finished, total = len(jobs.ids), jobs.total
    success = int(np.count_nonzero(jobs.states == SUCCESS))
    makespan = int(jobs.finished.max() - jobs.submitted.min()) if finished else 0
    computing = sum(map(mul, jobs.execution.tolist(), jobs.sizes.tolist()))
    times = {
        "slowdown": jobs.stretch.tolist(),
        "turnaround_time": _seconds(jobs.turnaround),
        "waiting_time": _seconds(jobs.waiting),
    }
    return {
        "batsim_version": f"wavetank {version}",
        "consumed_joules": "-1",
        "makespan": _time(makespan),
        **{f"max_{name}": f"{max(values, default=0):.6f}" for name, values in times.items()},
        **{f"mean_{name}": f"{sum(values) / max(1, len(values)):.6f}" for name, values in times.items()},
        "nb_computing_machines": machines,
        "nb_grouped_switches": 0,
        "nb_jobs": total,
        "nb_jobs_finished": finished,
        "nb_jobs_killed": finished - success,
        "nb_jobs_rejected": 0,
        "nb_jobs_success": success,
        "nb_machine_switches": 0,
        "scheduling_time": 0,
        "simulation_time": 0,
        "success_rate": f"{success / total if total else 0:.6f}",
        "time_computing": _time(computing),
        "time_idle": _time(max(0, makespan * machines - computing)),
        "time_sleeping": _time(0),
        "time_switching_off": _time(0),
        "time_switching_on": _time(0),
    }


def _seconds(times: Integers) -> list[float]:
    seconds: list[float] = quotients(times, np.full(len(times), SECOND)).tolist()
    return seconds


def _time(time: Nanoseconds) -> str:
    return f"{time / SECOND:.6f}"
