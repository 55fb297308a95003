"""The study's cluster and workloads: what K8sSim's paper states of them, and what had to be chosen.

Stated (section 4.1 of the paper): eight worker nodes of 2, 4 and 8 cores; the jobs and tasks that Alibaba's traces of
2018 and 2020 submit by day and by night. Published by K8sSim's authors besides: the tasks of their example workloads,
the GPUs of a node, the times to create a container. Chosen here: the length of the window, the number of jobs by day,
minAvailable, waiting times, affinities, images and taints. The study's page lists them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, NamedTuple

from wavetank.nodes.k8ssim.rates import WORK_OF_EPOCH, cpu_rate, gpu_rate
from wavetank.sweeps.clusters import with_larger_nodes, with_more_nodes
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.manifests.behavior import DURATION

IMAGES = ("web:1", "spark:3", "torch:2")


class Task(NamedTuple):
    """A task in K8sSim's terms: CPU in cores, memory in MiB, both requested and at most; work in epochs."""

    cpu: float
    cpu_limit: float
    memory: int
    memory_limit: int
    epochs: int
    gpus: int = 0


class Period(NamedTuple):
    """What one trace submits by day or by night: jobs, tasks, and the hours in which they arrive."""

    jobs: int
    tasks: int
    hours: int


# Section 4.1 of the paper.
TRACE_2018 = {"day": Period(19_500, 6_920_000, 18), "night": Period(28_300, 7_000_000, 6)}
TRACE_2020 = {"day": Period(1_759_052, 12_540_000, 16), "night": Period(2_462_675, 17_550_000, 8)}

# The six tasks of K8sSim's example of a generic workload (k8s-benchmark): 20, 60 and 80 s are 1, 3 and 4 epochs.
GENERIC_TASKS = (
    Task(2, 4, 10, 60, 1),
    Task(1, 2, 5, 55, 1),
    Task(3, 4, 4096, 4146, 3),
    Task(1.5, 2, 2048, 2098, 3),
    Task(3.7, 6, 10, 60, 4),
    Task(1.7, 3, 5, 55, 4),
)

# The jobs of K8sSim's examples of AI workloads (wsl_test_*.yaml), by their number of tasks; those of 100 tasks or 5
# cores are left out, since half of the cluster cannot run them.
WIDE_JOBS = (
    *[(10, Task(1, 1.1, 800, 900, 4, 1))] * 4,
    *[(11, Task(0.5, 1, 800, 1000, 7, 1))] * 2,
    (11, Task(0.5, 1, 800, 900, 5, 1)),
    (11, Task(0.5, 1, 1000, 2000, 3, 1)),
    (10, Task(1, 1.1, 800, 900, 4)),
    (11, Task(0.5, 1.2, 1000, 2000, 3, 1)),
    (10, Task(0.8, 1.1, 1500, 1700, 1)),
    (10, Task(0.8, 1, 1000, 2000, 1)),
    (10, Task(1, 1.1, 800, 900, 28, 1)),
    (10, Task(0.39, 0.41, 150, 170, 1)),
)
SINGLE_JOBS = (
    (1, Task(3.5, 3.6, 4000, 6000, 10, 1)),
    (1, Task(4, 8, 1000, 2000, 10, 1)),
    (1, Task(4, 4.1, 2000, 4000, 7)),
)


@dataclass(frozen=True)
class Choices:
    """What the paper does not state, or leaves open. Times in seconds."""

    window: int = 300  # in which all jobs arrive
    generic_jobs: int = 8  # by day
    generic_tasks: int = 4  # of a job by day, on average
    generic_length: int = 4  # times the work of the published tasks, so that a run takes about as long as in the paper
    ai_jobs: int = 6  # by day
    ai_length: int = 2  # times the work of the published tasks
    available: float = 0.5  # minAvailable as a share of a job's tasks
    waiting_times: tuple[str, ...] = ("2m", "5m", "10m")  # sla-waiting-time of jobs
    affine: float = 0.4  # share of generic tasks that prefer fast nodes, or those of their job
    imaged: Literal["small", "medium", "large"] = "large"  # nodes that have the images of most tasks
    changed: Literal["size", "number"] = (
        "size"  # of nodes: what "50 % decrease" changes; K8sSim's files change the size
    )
    shared_cpu: bool = True  # a task is as fast as its CPUs allow; else it takes as long as with all that it may use
    tail: float = 0  # standard deviation of the logarithm of the work of tasks of one kind


CHOSEN = Choices()


def nodes(chosen: Choices = CHOSEN, change: int = 0) -> list[Mapping[str, Any]]:
    """Returns the eight worker nodes of section 4.1, with a change of resources in percent.

    GPUs and creation times are those of K8sSim's nodes_7-0.yaml: two GPUs for each core.
    """
    sizes = [("small", 2)] * 2 + [("medium", 4)] * 4 + [("large", 8)] * 2
    cluster = Cluster(
        [_node(f"{kind}-{i}", kind, cores, kind == chosen.imaged) for i, (kind, cores) in enumerate(sizes)], ()
    )
    resize = with_larger_nodes if chosen.changed == "size" else with_more_nodes
    return list(resize(cluster, 1 + change / 100).manifests)


def _node(name: str, kind: str, cores: int, has_images: bool) -> dict[str, Any]:
    amounts = {"cpu": cores, "memory": f"{2 * cores}Gi", "nvidia.com/gpu": 2 * cores, "pods": 110}
    status: dict[str, Any] = {"allocatable": amounts, "capacity": amounts}
    labels = {"kubernetes.io/hostname": name}
    if kind == "large":
        labels["tier"] = "fast"
    if has_images:
        status["images"] = [{"names": [image], "sizeBytes": 800_000_000} for image in IMAGES[1:]]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}
    if name == "medium-2":
        node["spec"] = {"taints": [{"key": "shared", "effect": "PreferNoSchedule"}]}
    return node | {"ctnCreationTime": 6, "ctnCreationExtraTime": 2.5, "ctnCreationTimeInterval": 2}


def arrivals(random: Random, jobs: int, window: int) -> list[int]:
    """Returns the submission times of the jobs, uniform in the window: a Poisson process of a known number."""
    return sorted([0, *(int(random.uniform(0, window)) for _ in range(jobs - 1))])


def scaled(trace: Mapping[str, Period], period: str, jobs: int) -> tuple[int, float]:
    """Returns how many jobs arrive in the window if `jobs` do by day, and how many times a day's tasks."""
    day, now = trace["day"], trace[period]
    return round(jobs * now.jobs / now.hours * day.hours / day.jobs), now.tasks / now.hours * day.hours / day.tasks


def task_queue(period: str, seed: int, chosen: Choices = CHOSEN) -> list[dict[str, Any]]:
    """Returns pods with submission times, in K8sSim's format for Kubernetes; the tasks of a job follow each other."""
    random = Random(f"task queue {period} {seed}")
    jobs, tasks = scaled(TRACE_2018, period, chosen.generic_jobs)
    sizes = _sizes(random, jobs, round(tasks * chosen.generic_jobs * chosen.generic_tasks))
    items = []
    for number, (time, size) in enumerate(zip(arrivals(random, jobs, chosen.window), sizes, strict=True)):
        image = random.choice(IMAGES)
        for i in range(size):
            pod = _pod(f"job{number}", i, random.choice(GENERIC_TASKS), image, random, chosen)
            items.append({"pod": pod, "startTime": time + i})
    return items


def _sizes(random: Random, jobs: int, tasks: int) -> list[int]:
    """Deals so many tasks to the jobs: two each and the others at random, ten at most (K8sSim's generator)."""
    sizes = [2] * jobs
    while sum(sizes) < tasks:
        chosen = random.randrange(jobs)
        sizes[chosen] += sizes[chosen] < 10
    return sizes


def _pod(job: str, number: int, task: Task, image: str, random: Random, chosen: Choices) -> dict[str, Any]:
    metadata, container = _work(task, image, chosen.generic_length, random, chosen)
    # No task has a priority, so none could be preempted; without the search for victims the study takes half the time.
    spec: dict[str, Any] = {"containers": [container], "restartPolicy": "OnFailure", "preemptionPolicy": "Never"}
    if random.random() < chosen.affine:
        spec["affinity"] = _preference(job, random)
    metadata |= {"name": f"{job}-{number}", "labels": {"app": "linc-workload", "job": job}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _work(
    task: Task, image: str, length: int, random: Random, chosen: Choices
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns metadata and container of a task: its work is among the arguments, or it is a duration if fixed."""
    factor = random.lognormvariate(0, chosen.tail) if chosen.tail else 1
    epochs = max(1, round(length * task.epochs * factor))
    container = _container(task, image, epochs)
    if chosen.shared_cpu:
        return {}, container
    rate = gpu_rate(1000 * task.cpu_limit) if task.gpus else cpu_rate(1000 * task.cpu_limit)
    del container["command"]
    return {"annotations": {DURATION: f"{epochs * WORK_OF_EPOCH / rate:.0f}s"}}, container


def _container(task: Task, image: str, epochs: int) -> dict[str, Any]:
    requests = {"cpu": str(task.cpu), "memory": f"{task.memory}Mi"}
    limits = {"cpu": str(task.cpu_limit), "memory": f"{task.memory_limit}Mi"}
    if task.gpus:
        requests["nvidia.com/gpu"] = limits["nvidia.com/gpu"] = str(task.gpus)
    command = ["python3", "task.py", f"--epochs={epochs}"]
    return {"name": "task", "image": image, "command": command, "resources": {"requests": requests, "limits": limits}}


def _preference(job: str, random: Random) -> dict[str, Any]:
    """Returns a preference for fast nodes, or for the nodes of the job's other tasks."""
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    if random.random() < 0.5:
        fast = {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["fast"]}]}
        return {"nodeAffinity": {preferred: [{"weight": 10, "preference": fast}]}}
    term = {"labelSelector": {"matchLabels": {"job": job}}, "topologyKey": "kubernetes.io/hostname"}
    return {"podAffinity": {preferred: [{"weight": 10, "podAffinityTerm": term}]}}


def job_queue(period: str, seed: int, chosen: Choices = CHOSEN) -> dict[str, Any]:
    """Returns Volcano Jobs, in K8sSim's format for Volcano."""
    random = Random(f"job queue {period} {seed}")
    jobs, _ = scaled(TRACE_2020, period, chosen.ai_jobs)
    times = arrivals(random, jobs, chosen.window)
    return {"jobs": [_job(f"job{number}", time, random, chosen) for number, time in enumerate(times)]}


def _job(name: str, time: int, random: Random, chosen: Choices) -> dict[str, Any]:
    kinds = SINGLE_JOBS if random.random() < _single_share() else WIDE_JOBS
    size, task = random.choice(kinds)
    labels = {"app": "linc-workload", "job": name, "jobTaskNumber": str(size)}
    metadata, container = _work(task, "torch:2", chosen.ai_length, random, chosen)
    template = {
        "metadata": metadata | {"labels": labels},
        "spec": {"containers": [container], "restartPolicy": "OnFailure"},
    }
    annotations = {"sla-waiting-time": random.choice(chosen.waiting_times)}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {"sub-time": str(time)}, "annotations": annotations},
        "spec": {
            "minAvailable": max(1, round(size * chosen.available)),
            "schedulerName": "volcano",
            "tasks": [{"name": "worker", "replicas": size, "template": template}],
        },
    }


def _single_share() -> float:
    """Returns the share of jobs of one task with which a job has as many tasks on average as in the trace: 7.13."""
    wide = sum(size for size, _ in WIDE_JOBS) / len(WIDE_JOBS)
    day = TRACE_2020["day"]
    return (wide - day.tasks / day.jobs) / (wide - 1)
