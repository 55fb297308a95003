"""Volcano's Jobs, and the work that K8sSim reads in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from wavetank.cluster.quantity import milli
from wavetank.cluster.resource import Manifest, Resource
from wavetank.cluster.resources import CPU
from wavetank.cluster.run import Run
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads import fields
from wavetank.workloads.gpupods import GPU

VOLCANO_JOB = "Job.batch.volcano.sh"
SUBMITTED = "sub-time"  # K8sSim's label of a job: seconds from the start of the run
MIN_AVAILABLE = "wavetank.dev/min-available"  # annotation of pods: how many of their job must run together
UNIT = 1e9  # flop of one second of K8sSim's work on a node of calculationSpeed 1

_EPOCHS = re.compile(r"--epochs=(\d{1,9})")
_WORK_OF_EPOCH = 135  # in K8sSim's own unit
_FAULTS = ("restart", "termination")


class Task(NamedTuple):
    """One task of a job: `replicas` equal pods; `path` is its place in the job's manifest."""

    job: str
    name: str
    replicas: int
    template: object
    scheduler: str
    path: str

    def pod_names(self) -> tuple[str, ...]:
        """Returns the names that Volcano gives to the task's pods."""
        return tuple(f"{self.job}-{self.name}-{i}" for i in range(self.replicas))


def submitted_after(job: Resource) -> Nanoseconds:
    """Returns when K8sSim submits the job, by its label; at the start if it has none."""
    return fields.duration(job.labels.get(SUBMITTED, "0"), f"metadata.labels.{SUBMITTED}")


def tasks_of(job: Resource) -> Iterator[Task]:
    """Yields the tasks of a Volcano Job."""
    spec = fields.mapping(job.manifest.get("spec"), "spec")
    scheduler = fields.text(spec.get("schedulerName", "volcano"), "spec.schedulerName")
    for i, item in enumerate(fields.items(spec.get("tasks"), "spec.tasks")):
        path = f"spec.tasks[{i}]"
        task = fields.mapping(item, path)
        name = fields.text(task.get("name", f"default{i}"), f"{path}.name")
        size = fields.integer(task.get("replicas", 1), f"{path}.replicas", 0, fields.MOST_OBJECTS)
        yield Task(job.name, name, size, task.get("template"), scheduler, path)


def task_annotations(job: Resource, task: Task) -> dict[str, str]:
    """Returns what marks the pods of a task: as Volcano does, and how many pods their job needs."""
    spec = fields.mapping(job.manifest.get("spec"), "spec")
    marks = {
        "scheduling.k8s.io/group-name": job.name,
        "volcano.sh/job-name": job.name,
        "volcano.sh/task-spec": task.name,
        "volcano.sh/queue-name": fields.text(spec.get("queue", "default"), "spec.queue"),
    }
    if spec.get("minAvailable") is not None:
        marks[MIN_AVAILABLE] = str(fields.integer(spec["minAvailable"], "spec.minAvailable"))
    return marks


def epochs_run(pod: Manifest, path: str) -> Run | None:
    """Returns the run of a pod whose command says --epochs=N, None if it does not.

    Its work takes the time that K8sSim's performance model gives at full speed: with all of its CPU limit from
    beginning to end, on a node of calculationSpeed 1; other nodes' speeds scale it. What K8sSim's pods lose to
    each other on a busy node is not modelled, and neither are its restarts and terminations.
    """
    container = pod["spec"]["containers"][0]
    words = " ".join(str(word) for field in ("command", "args") for word in container.get(field) or ())
    match = _EPOCHS.search(words)
    if match is None:
        return None
    _refuse_faults(pod["metadata"].get("labels") or {}, path)
    seconds = int(match[1]) * _WORK_OF_EPOCH / _rate(container, f"{path}.spec.containers[0].resources")
    return Run(0, flops=seconds * UNIT)


def _refuse_faults(labels: Mapping[str, str], path: str) -> None:
    for fault in _FAULTS:
        if f"{fault}Time" in labels and labels.get(f"{fault}Limit", "-1") != "0":
            where = f"{path}.metadata.labels.{fault}Time"
            raise InputError(f"K8sSim's {fault} of tasks is not simulated: expected {fault}Limit '0'", path=where)


def _rate(container: Mapping[str, Any], path: str) -> float:
    """Returns K8sSim's work per second of a task with all of its CPU limit."""
    resources = fields.mapping(container.get("resources") or {}, path)
    amounts = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    cpu = milli(amounts.get(CPU, 0)) / 1000
    rate = _gpu_rate(cpu) if milli(amounts.get(GPU, 0)) else _cpu_rate(cpu)
    if rate <= 0:
        raise InputError("a task with --epochs needs a CPU limit", path=path)
    return rate


def _gpu_rate(cpu: float) -> float:
    return 7.5 if cpu > 1 else 7.5 * (cpu - 0.05)


def _cpu_rate(cpu: float) -> float:
    """Returns the rate as K8sSim measured it on its cluster, in pieces."""
    if cpu > 3.2:
        return 3.0
    for above, loss in ((2.8, 0.2), (2.6, 0.25), (0.8, 0.3), (0.64, 0.27), (0.45, 0.24)):
        if cpu > above:
            return cpu - loss
    return 0.46 * cpu
