"""A run as Batsim writes it: jobs.csv and schedule.csv, column for column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wavetank.cluster.node import Node
from wavetank.cluster.pod import SUCCEEDED
from wavetank.cluster.run import Job
from wavetank.experiments.podrow import PodRow
from wavetank.experiments.recorder import Recorder
from wavetank.experiments.tables import write_csv
from wavetank.kernel.durations import SECOND, Nanoseconds

BATSIM_ID = "wavetank.dev/batsim-id"

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


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job whose pods have all come to their end; it runs from the start of its last pod."""

    job: Job
    submitted: Nanoseconds
    started: Nanoseconds
    finished: Nanoseconds
    state: str
    nodes: frozenset[str]

    @property
    def execution(self) -> Nanoseconds:
        """Returns how long it ran."""
        return self.finished - self.started

    @property
    def turnaround(self) -> Nanoseconds:
        """Returns the time from submission to end."""
        return self.finished - self.submitted

    @property
    def waiting(self) -> Nanoseconds:
        """Returns the time from submission to start."""
        return self.started - self.submitted

    @property
    def stretch(self) -> float:
        """Returns turnaround ÷ execution; 1 for a job that took no time at all."""
        return self.turnaround / self.execution if self.execution else 1.0


def write_batsim(recorder: Recorder, folder: Path, version: str) -> None:
    """Writes jobs.csv and schedule.csv; a pod of no stated job is a job of its own."""
    jobs, total = _finished_jobs(recorder.rows)
    ids = _machine_ids(recorder.nodes)
    write_csv(folder / "jobs.csv", JOB_COLUMNS, (_job_row(job, ids) for job in jobs))
    figures = _figures(jobs, total, recorder, version)
    write_csv(folder / "schedule.csv", sorted(figures), [[figures[key] for key in sorted(figures)]])


def _finished_jobs(rows: list[PodRow]) -> tuple[list[FinishedJob], int]:
    """Returns the finished jobs in the order of their end, and how many there were in all."""
    members: dict[object, list[PodRow]] = {}
    for row in rows:
        members.setdefault(id(row.job) if row.job else (row.namespace, row.name), []).append(row)
    finished = [_finished(pods) for pods in members.values() if all(pod.finished is not None for pod in pods)]
    return sorted(finished, key=lambda job: job.finished), len(members)


def _finished(pods: list[PodRow]) -> FinishedJob:
    first = pods[0]
    ended = max(pod.finished for pod in pods if pod.finished is not None)
    started = [pod.started for pod in pods if pod.started is not None]
    return FinishedJob(
        job=first.job or Job(first.name, "w0", "pod", 1),
        submitted=min(pod.submitted for pod in pods),
        started=max(started) if len(started) == len(pods) else ended,
        finished=ended,
        state=_state(pods),
        nodes=frozenset(pod.node for pod in pods if pod.node),
    )


def _state(pods: list[PodRow]) -> str:
    if all(pod.phase == SUCCEEDED for pod in pods):
        return "COMPLETED_SUCCESSFULLY"
    reasons = {pod.reason for pod in pods}
    if "DeadlineExceeded" in reasons:
        return "COMPLETED_WALLTIME_REACHED"
    if reasons & {"Evicted", "Preempted", "Deleted"}:
        return "COMPLETED_KILLED"
    return "COMPLETED_FAILED"


def _machine_ids(nodes: Sequence[Node]) -> dict[str, int]:
    return {node.name: int(node.annotations.get(BATSIM_ID, i)) for i, node in enumerate(nodes)}


def _job_row(job: FinishedJob, ids: Mapping[str, int]) -> Sequence[object]:
    walltime = job.job.walltime
    return (
        job.job.id,
        job.job.workload,
        job.job.profile,
        _time(job.submitted),
        job.job.size,
        _time(walltime) if walltime is not None else "-1",
        int(job.state == "COMPLETED_SUCCESSFULLY"),
        job.state,
        _time(job.started),
        _time(job.execution),
        _time(job.finished),
        _time(job.waiting),
        _time(job.turnaround),
        f"{job.stretch:.6f}",
        interval_set(ids[node] for node in job.nodes),
        "-1",
        "",
    )


def interval_set(numbers: Iterable[int]) -> str:
    """Writes machine numbers as Batsim does: 0-3 5 7-8."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def _figures(jobs: list[FinishedJob], total: int, recorder: Recorder, version: str) -> dict[str, object]:
    success = sum(job.state == "COMPLETED_SUCCESSFULLY" for job in jobs)
    begin = min((job.submitted for job in jobs), default=0)
    makespan = max((job.finished for job in jobs), default=0) - begin
    computing = sum(job.execution * len(job.nodes) for job in jobs)
    machines = len(recorder.nodes)
    times = {
        "slowdown": [job.stretch for job in jobs],
        "turnaround_time": [job.turnaround / SECOND for job in jobs],
        "waiting_time": [job.waiting / SECOND for job in jobs],
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
        "nb_jobs_finished": len(jobs),
        "nb_jobs_killed": len(jobs) - success,
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


def _time(time: Nanoseconds) -> str:
    return f"{time / SECOND:.6f}"
