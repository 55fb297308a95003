"""A run as Batsim writes it: jobs.csv and schedule.csv, column for column."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavetank.cluster.objects.podbehavior import Job
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results import schema
from wavetank.results.columns.decimals import Integers, microsecond_cells, quotients
from wavetank.results.metrics.jobs import STATES, SUCCESS, FinishedJobs
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.write.csvfiles import Blocks, quoted, write_columns, write_rows

if TYPE_CHECKING:
    from wavetank.results.metrics.energy import JobEnergy

_ENDS = [f"{int(state == SUCCESS)},{name}" for state, name in enumerate(STATES)]


def write_batsim(
    pods: PodTable, jobs: FinishedJobs, folder: Path, version: str, energy: JobEnergy | None = None
) -> None:
    """Writes jobs.csv and schedule.csv; a pod of no stated job is a job of its own.

    `energy` is that of the jobs, None if no node has a power model.
    """
    joules = ["-1"] * len(jobs.ids) if energy is None else [f"{each:.6f}" for each in energy.joules]
    write_columns(folder, schema.JOBS, len(jobs.ids), lambda part: _blocks(jobs, joules, part))
    totals = _totals(jobs, len(pods.recorder.nodes), version)
    if energy is not None:
        totals["consumed_joules"] = f"{energy.total:.6f}"
    write_rows(folder, schema.SCHEDULE, [totals])


def _blocks(jobs: FinishedJobs, joules: Sequence[str], part: slice) -> Blocks:
    stated = jobs.stated[part]
    times = (jobs.started, jobs.execution, jobs.finished, jobs.waiting, jobs.turnaround)
    return {
        "job_id": quoted(jobs.ids[part]),
        "workload_name,profile": [_kind(job) if job else "w0,pod" for job in stated],
        "submission_time": microsecond_cells(jobs.submitted[part]),
        "requested_number_of_resources,requested_time": [_requested(job) if job else "1,-1" for job in stated],
        "success,final_state": [_ENDS[state] for state in jobs.states[part].tolist()],
        "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch": microsecond_cells(
            *(column[part] for column in times), ratios=[jobs.stretch[part]]
        ),
        "allocated_resources": jobs.machines[part],
        "consumed_energy,metadata": [f"{each}," for each in joules[part]],
    }


def _kind(job: Job) -> str:
    return ",".join(quoted((job.workload, job.profile)))


def _requested(job: Job) -> str:
    return f"{job.size},{'-1' if job.walltime is None else _time(job.walltime)}"


def _totals(jobs: FinishedJobs, machines: int, version: str) -> dict[str, object]:
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
