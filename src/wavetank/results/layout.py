"""Names of the files and folders of results.

RESULTS/
  summary.csv, experiment.json, wall.json, report.html, source.json
  SCHEDULER/seed-N/
    pods.csv, nodes.csv, utilization.csv, jobs.csv, schedule.csv, …
"""

from __future__ import annotations

import re
from pathlib import Path

# Of an experiment.
SUMMARY = "summary.csv"
EXPERIMENT = "experiment.json"
WALL = "wall.json"
REPORT = "report.html"
SOURCE = "source.json"  # the document itself, if attempts are recorded
EXPERIMENT_FILES = frozenset({SUMMARY, EXPERIMENT, WALL, REPORT, SOURCE})

# Of a run.
PODS = "pods.csv"
NODES = "nodes.csv"
NODE_STATES = "node_states.csv"
UTILIZATION = "utilization.csv"
JOBS = "jobs.csv"
SCHEDULE = "schedule.csv"
ATTEMPTS = "explain.npz"
K8SSIM_TASKS = "tasksSUM.csv"
K8SSIM_JOBS = "coutJCT.csv"
AUTOSCALING = "autoscaling.csv"
AUTOSCALERS = "autoscalers.csv"
QUEUES = "queues.csv"
QUEUE_QUOTAS = "queue_quotas.csv"
QUEUE_USAGE = "queue_usage.csv"
WORKLOADS = "workloads.csv"
CAPACITY = "capacity.csv"
ENERGY = "energy.csv"
NODE_ENERGY = "node_energy.csv"
NODE_TIMELINE = "node_timeline.csv"
NODE_GROUPS = "node_groups.csv"
NAMESPACE_COSTS = "namespace_costs.csv"
SERVICES = "services.csv"
SERVICES_OVER_TIME = "services_over_time.csv"
SERVICE_PODS = "service_pods.csv"
SERVICE_LINKS = "service_links.csv"
SERVICE_LOAD = "service_load.csv"
SERVICE_CALLS = "service_calls.csv"
SERVICE_HISTOGRAMS = "service_histograms.csv"
SERVICE_OVERLOADS = "service_overloads.csv"
SERVICE_SPANS = "service_spans.csv"
BATCH_JOBS = "batch_jobs.csv"
SLOT_USES = "slots.csv"
SLOTS_PICTURE = "slots.svg"
PERFETTO = "traces.perfetto.json"
JAEGER = "traces.jaeger.json"

# Of a study, besides report.html.
CLAIMS = "claims.json"

# Of a sweep, besides summary.csv, wall.json, report.html and a folder for each scenario.
SWEEP = "sweep.json"
SUMMARY_PARQUET = "summary.parquet"
COMPARISONS = "comparisons.csv"
LATENCIES = "latencies.csv"
RUNS = ".runs"  # finished runs, by the hash of their inputs

_SEED = re.compile(r"seed-(\d+)")


def run_label(scheduler: str, seed: int) -> str:
    """Returns the name of a run inside its results: default/seed-1."""
    return f"{scheduler}/seed-{seed}"


def run_folder(results: Path, scheduler: str, seed: int) -> Path:
    """Returns the folder of a run."""
    return results / run_label(scheduler, seed)


def results_of(run: Path) -> Path:
    """Returns the folder of the results that the folder of a run belongs to."""
    return run.parent.parent


def run_of(folder: Path) -> tuple[str, int | None]:
    """Returns scheduler and seed of a run by its folder; no seed if the folder is named otherwise."""
    match = _SEED.fullmatch(folder.name)
    return folder.parent.name, int(match[1]) if match else None
