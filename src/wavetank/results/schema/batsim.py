"""The tables that Batsim 4 writes, with its columns; values that wavetank does not simulate are constant."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import SECONDS, SHARE, Column, Table

JOBS = Table(
    layout.JOBS,
    "one row per finished job; a pod without a job is a job of its own",
    (
        Column("job_id", str, "identifier of the job"),
        Column("workload_name", str, "workload of the job"),
        Column("profile", str, "profile of the job"),
        Column("submission_time", float, "submission of its first pod", SECONDS),
        Column("requested_number_of_resources", int, "machines that it requests"),
        Column("requested_time", float, "walltime that it requests; -1 for none", SECONDS),
        Column("success", int, "1 if it completed successfully, else 0"),
        Column("final_state", str, "COMPLETED_SUCCESSFULLY, …_WALLTIME_REACHED, …_KILLED or …_FAILED"),
        Column("starting_time", float, "start of its last pod", SECONDS),
        Column("execution_time", float, "finish − start", SECONDS),
        Column("finish_time", float, "end of its last pod", SECONDS),
        Column("waiting_time", float, "start − submission", SECONDS),
        Column("turnaround_time", float, "finish − submission", SECONDS),
        Column("stretch", float, "turnaround ÷ execution"),
        Column("allocated_resources", str, "numbers of its nodes: `0-3 5`"),
        Column("consumed_energy", float, "energy of its nodes while it ran; -1 if no node has a power model", "J"),
        Column("metadata", str, "empty"),
    ),
)

SCHEDULE = Table(
    layout.SCHEDULE,
    "one row of totals",
    (
        Column("batsim_version", str, "`wavetank` and its version"),
        Column(
            "consumed_joules",
            float,
            "energy of all nodes from the first submission to the last finish; -1 if no node has a power model",
            "J",
        ),
        Column("makespan", float, "last finish − first submission", SECONDS),
        Column("max_slowdown", float, "greatest stretch"),
        Column("max_turnaround_time", float, "longest turnaround", SECONDS),
        Column("max_waiting_time", float, "longest waiting time", SECONDS),
        Column("mean_slowdown", float, "mean stretch"),
        Column("mean_turnaround_time", float, "mean turnaround", SECONDS),
        Column("mean_waiting_time", float, "mean waiting time", SECONDS),
        Column("nb_computing_machines", int, "nodes"),
        Column("nb_grouped_switches", int, "0: not simulated"),
        Column("nb_jobs", int, "jobs"),
        Column("nb_jobs_finished", int, "jobs that finished"),
        Column("nb_jobs_killed", int, "finished jobs without success"),
        Column("nb_jobs_rejected", int, "0: no job is rejected"),
        Column("nb_jobs_success", int, "jobs that completed successfully"),
        Column("nb_machine_switches", int, "0: not simulated"),
        Column("scheduling_time", float, "0: a wall-clock figure", SECONDS),
        Column("simulation_time", float, "0: a wall-clock figure", SECONDS),
        Column("success_rate", float, "successful jobs ÷ jobs", SHARE),
        Column("time_computing", float, "execution times × nodes of the jobs", SECONDS),
        Column("time_idle", float, "makespan × nodes − time computing", SECONDS),
        Column("time_sleeping", float, "0: not simulated", SECONDS),
        Column("time_switching_off", float, "0: not simulated", SECONDS),
        Column("time_switching_on", float, "0: not simulated", SECONDS),
    ),
)
