"""The row of PREFIX_schedule.csv."""

from __future__ import annotations

from typing import NamedTuple

from wavetank.batsim.jobs.job import Job, JobState
from wavetank.batsim.outputs.recorder import Recorder
from wavetank.batsim.platform.machine import Machine, State
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.version import __version__

_EPSILON: Nanoseconds = 10_000  # Batsim's execution time of a job that took none


class Totals(NamedTuple):
    """What the recorder does not know: jobs of all workloads, switches, and seconds of wall-clock time."""

    machines: list[Machine]
    jobs: int
    grouped_switches: int
    machine_switches: int
    scheduling: float
    simulation: float

    @property
    def energy(self) -> bool:
        """Returns whether energy is simulated."""
        return bool(self.machines[0].powers)


def execution_time(job: Job) -> Nanoseconds:
    """Returns how long a job ran, never 0."""
    assert job.started is not None
    assert job.finished is not None
    return max(job.finished - job.started, _EPSILON)


def totals_of(recorder: Recorder, totals: Totals) -> dict[str, object]:
    """Returns the row by the names of its columns; means are over all jobs, as in Batsim."""
    ran = [job for job in recorder.jobs if job.started is not None]
    times = {"waiting_time": [0.0], "turnaround_time": [0.0], "slowdown": [0.0]}
    for job in ran:
        assert job.started is not None
        execution = execution_time(job)
        turnaround = job.started + execution - job.submission
        times["waiting_time"].append((job.started - job.submission) / SECOND)
        times["turnaround_time"].append(turnaround / SECOND)
        times["slowdown"].append(turnaround / execution)
    success = sum(job.state is JobState.SUCCESS for job in ran)
    spent = {state: sum(machine.times[state] for machine in totals.machines) / SECOND for state in State}
    return {
        "batsim_version": f"wavetank {__version__}",
        "consumed_joules": f"{recorder.joules_after - recorder.joules_before if totals.energy else -1:.6f}",
        "makespan": f"{max((job.finished or 0 for job in ran), default=0) / SECOND:.6f}",
        **{f"max_{name}": f"{max(values):.6f}" for name, values in times.items()},
        **{f"mean_{name}": f"{sum(values) / max(1, totals.jobs):.6f}" for name, values in times.items()},
        "nb_computing_machines": len(totals.machines),
        "nb_grouped_switches": totals.grouped_switches,
        "nb_jobs": totals.jobs,
        "nb_jobs_finished": len(ran),
        "nb_jobs_killed": len(ran) - success,
        "nb_jobs_rejected": len(recorder.jobs) - len(ran),
        "nb_jobs_success": success,
        "nb_machine_switches": totals.machine_switches,
        "scheduling_time": f"{totals.scheduling:.6f}",
        "simulation_time": f"{totals.simulation:.6f}",
        "success_rate": f"{success / max(1, totals.jobs):.6f}",
        **{f"time_{state}": f"{spent[state]:.6f}" for state in State},
    }
