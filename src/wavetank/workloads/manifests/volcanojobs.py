"""Volcano's Jobs, and the work that K8sSim reads in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.k8ssim.demand import GPU, deadline_of, epochs_of
from wavetank.nodes.k8ssim.parameters import UNIT
from wavetank.nodes.k8ssim.rates import WORK_OF_EPOCH, cpu_rate, gpu_rate
from wavetank.quantity import milli

SUBMITTED = "sub-time"  # K8sSim's label of a job: seconds from the start of the run
MIN_AVAILABLE = "wavetank.dev/min-available"  # annotation of pods: how many of their job must run together

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


class EpochsRun(PodBehavior):
    """Work in epochs: its time is that of K8sSim's performance model at full speed.

    `fault` is the label by which K8sSim restarts or terminates such a task, which only its own execution model does.
    """

    __slots__ = ("fault",)

    def __init__(self, flops: float, fault: str) -> None:
        super().__init__(0, flops=flops)
        self.fault = fault

    def work_time(self, speed: float) -> float:
        """Returns the seconds that the work takes; InputError where more would have to happen than this."""
        if self.fault:
            raise InputError("restarts and terminations of tasks need `execution: k8ssim`", path=self.fault)
        return super().work_time(speed)


def behavior_of_epochs(pod: Manifest, path: str) -> PodBehavior | None:
    """Returns the run of a pod whose command says --epochs=N, None if it does not.

    Its work takes the time that K8sSim's performance model gives at full speed: with all of its CPU limit from
    beginning to end, on a node of calculationSpeed 1; other nodes' speeds scale it. What K8sSim's pods lose to
    each other on a busy node is modelled by `execution: k8ssim` alone, and so are restarts and terminations.
    """
    epochs = epochs_of(pod)
    if epochs is None:
        return None
    seconds = epochs * WORK_OF_EPOCH / _rate(pod["spec"]["containers"][0], f"{path}.spec.containers[0].resources")
    return EpochsRun(seconds * UNIT, _fault(pod["metadata"].get("labels") or {}, path))


def _fault(labels: Mapping[str, str], path: str) -> str:
    for fault in _FAULTS:
        deadline = deadline_of(labels, fault)
        if deadline is not None and deadline.limit != 0:
            return f"{path}.metadata.labels.{fault}Time"
    return ""


def _rate(container: Mapping[str, Any], path: str) -> float:
    """Returns K8sSim's work per second of a task with all of its CPU limit."""
    resources = fields.mapping(container.get("resources") or {}, path)
    amounts = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    cpu = milli(amounts.get(CPU, 0))
    rate = gpu_rate(cpu) if milli(amounts.get(GPU, 0)) else cpu_rate(cpu)
    if rate <= 0:
        raise InputError("a task with --epochs needs a CPU limit", path=path)
    return rate
