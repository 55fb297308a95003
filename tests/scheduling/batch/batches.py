"""Small batches of jobs on a small cluster, run by a named queue."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import record
from wavetank.kernel.durations import SECOND
from wavetank.simulation.simulation import Setting
from wavetank.workloads.workload import Arrival

FOUR = ({"count": 4, "cpu": 1, "memory": "1Gi"},)


@dataclass(frozen=True)
class Submitted:
    """A job of so many pods of one core each; it says that it takes `walltime`, and takes `runs`, in seconds."""

    name: str
    size: int
    walltime: int
    at: int = 0
    runs: int | None = None
    priority: int = 0
    selector: str = ""


class Batch:
    """A workload of such jobs."""

    description = "a batch"

    def __init__(self, jobs):
        self._jobs = sorted(jobs, key=lambda job: job.at)

    def arrivals(self, specs, streams):
        for job in self._jobs:
            takes = job.walltime if job.runs is None else job.runs
            run = PodBehavior(takes * SECOND, job=Job(job.name, "w", "p", job.size, job.walltime * SECOND))
            for rank in range(job.size):
                manifest = _manifest(job, rank)
                yield Arrival(job.at * SECOND, Pod(manifest, specs.intern(manifest["spec"]), behavior=run))


def _manifest(job, rank):
    container = {"name": "c", "resources": {"requests": {"cpu": "1"}}}
    spec = {"containers": [container], "restartPolicy": "Never", "priority": job.priority}
    if job.selector:
        spec["nodeSelector"] = {"kind": job.selector}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{job.name}-{rank}"}, "spec": spec}


def ran(queue, jobs, nodes=FOUR, **more):
    """Runs the jobs and returns the rows of their pods."""
    spec = {
        "cluster": {"nodes": list(nodes)},
        "workload": {"generator": {"kind": "burst", "pods": 1, "duration": 1, "requests": {"cpu": 1}}},
        "schedulers": [{"name": queue}],
        **more,
    }
    experiment = parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": spec}, Path.cwd())
    usual = experiment.setting(experiment.schedulers[0])
    setting = Setting(usual.cluster, Batch(jobs), usual.schedulers, usual.version, usual.latency, faults=usual.faults)
    return record(setting, seed=1).rows


def starts(queue, jobs, **more):
    """Returns when each job has started, in seconds; None if it never did."""
    rows = ran(queue, jobs, **more)
    return {row.job.id: None if row.started is None else row.started // SECOND for row in rows}
