"""The tables that K8sSim's client writes, with its headings; only with `execution: k8ssim`."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import SECONDS, Column, Table

# K8sSim writes CPU under the headings of memory, and memory under those of CPU.
TASKS = Table(
    layout.K8SSIM_TASKS,
    "one row per task that succeeded",
    (
        Column("Pod_name", str, "namespace-name of the task"),
        Column("Job_name", str, "its job"),
        Column("Job_submit", str, "date on which the job was submitted, from the year 1 on"),
        Column("Pod_create", str, "date on which the task was created"),
        Column("Pod_start", str, "date on which it was bound"),
        Column("Pod_end", str, "date on which it ended"),
        Column("Pod_wait_create", float, "creation − submission", SECONDS),
        Column("Pod_wait_run", float, "binding − creation", SECONDS),
        Column("Pod_wait_total", float, "binding − submission", SECONDS),
        Column("Pod_running_time", float, "end − binding", SECONDS),
        Column("Pod_total_time", float, "end − submission", SECONDS),
        Column("Running node", str, "node to which it was bound"),
        Column("Requests_memory", str, "CPU that it requests"),
        Column("Limits_memory", str, "its limit of CPU"),
        Column("Requests_cpu", str, "memory that it requests"),
        Column("Limits_cpu", str, "its limit of memory"),
        Column("Requests_gpu", str, "GPUs that it requests"),
        Column("Limits_gpu", str, "its limit of GPUs"),
    ),
)

JOBS = Table(
    layout.K8SSIM_JOBS,
    "one row, for the job that took longest",
    (
        Column("Job Name", str, "`job1`, as K8sSim has it"),
        Column("Job Completed Time(s)", float, "end of its last task − creation of its first", SECONDS),
    ),
)
