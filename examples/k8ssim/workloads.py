"""Writes the four workloads of the study, as substitutes for those that K8sSim selected from two traces of Alibaba.

    python workloads.py FOLDER

The traces are too large for this repository, so jobs are drawn at random from published statistics. Section 4.1 of
K8sSim's paper states the number of jobs by day and by night (trace of 2018: 19,500 in 18 h and 28,300 in 6 h; trace of
2020: 1,759,052 in 16 h and 2,462,675 in 8 h), and that a job of the trace of 2020 has 7.1 tasks. Requests and run times
are our own choice. The clusters of the study have 8 small nodes instead of thousands, so there are fewer jobs, of fewer
tasks, at the same ratio of night to day.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

JOBS = 60
# Jobs per hour by day; the number by night follows from the ratio in the traces.
TASK_QUEUE = {"day": 340.0, "night": 340.0 * (28_300 / 6) / (19_500 / 18)}
JOB_QUEUE = {"day": 110.0, "night": 110.0 * (2_462_675 / 8) / (1_759_052 / 16)}

SIZES = [("500m", "512Mi"), ("500m", "1Gi"), ("1", "1Gi"), ("1", "2Gi"), ("2", "2Gi"), ("2", "3Gi")]
WEIGHTS = [30, 20, 20, 15, 10, 5]
IMAGES = ["web:1", "spark:3", "torch:2"]


def task_queue(period: str) -> list[dict[str, Any]]:
    """Returns pods with their submission times: independent tasks, in K8sSim's format for Kubernetes."""
    random = Random(f"task queue {period}")
    items: list[dict[str, Any]] = []
    for number, time in enumerate(arrivals(random, TASK_QUEUE[period])):
        size = random.choices(SIZES, WEIGHTS)[0]
        image = random.choice(IMAGES)
        tasks = range(min(12, 1 + int(random.expovariate(1 / 3.5))))
        pods = [a_pod(f"job{number}", task, size, image, random) for task in tasks]
        items += [{"pod": pod, "startTime": time} for pod in pods]
    return items


def a_pod(job: str, task: int, size: tuple[str, str], image: str, random: Random) -> dict[str, Any]:
    seconds = min(900, max(10, random.lognormvariate(4.2, 0.8)))
    limits = {"cpu": "2", "memory": "4Gi"} if random.random() < 0.5 else {"cpu": "6", "memory": "12Gi"}
    container = {
        "name": "main",
        "image": image,
        "resources": {"requests": {"cpu": size[0], "memory": size[1]}, "limits": limits},
    }
    spec: dict[str, Any] = {"containers": [container], "restartPolicy": "Never"}
    if random.random() < 0.4:
        spec["affinity"] = preference(job, random)
    annotations = {"wavetank.dev/duration": f"{seconds:.0f}s"}
    metadata = {"name": f"{job}-{task}", "labels": {"job": job}, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def preference(job: str, random: Random) -> dict[str, Any]:
    """Returns a preference for fast nodes, or for the nodes of the job's other tasks."""
    if random.random() < 0.5:
        term = {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["fast"]}]}
        return {
            "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "preference": term}]}
        }
    term = {"labelSelector": {"matchLabels": {"job": job}}, "topologyKey": "kubernetes.io/hostname"}
    return {
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "podAffinityTerm": term}]}
    }


def job_queue(period: str) -> list[dict[str, Any]]:
    """Returns Volcano Jobs: gangs of workers, in K8sSim's format for Volcano."""
    random = Random(f"job queue {period}")
    return [a_job(f"job{number}", time, random) for number, time in enumerate(arrivals(random, JOB_QUEUE[period]))]


def a_job(name: str, time: int, random: Random) -> dict[str, Any]:
    cpu, memory = random.choices(SIZES, WEIGHTS)[0]
    seconds = min(1800, max(30, random.lognormvariate(4.8, 0.7)))
    tasks = min(12, max(1, round(random.gammavariate(2, 3.55 / 1.6))))
    container = {
        "name": "worker",
        "image": "torch:2",
        "command": ["sleep", f"{seconds:.0f}"],
        "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu, "memory": memory}},
    }
    template = {"metadata": {"labels": {"job": name}}, "spec": {"containers": [container], "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {"sub-time": str(time)}},
        "spec": {
            "minAvailable": tasks,
            "schedulerName": "volcano",
            "queue": "default",
            "tasks": [{"name": "worker", "replicas": tasks, "template": template}],
        },
    }


def arrivals(random: Random, per_hour: float) -> Iterator[int]:
    """Yields the arrival times of the jobs, in seconds."""
    time = 0.0
    for _ in range(JOBS):
        yield int(time)
        time += random.expovariate(per_hour / 3600)


def main(folder: Path) -> None:
    for period in ("day", "night"):
        (folder / f"tasks-{period}.json").write_text(f"[{lines(task_queue(period))}]\n")
        (folder / f"jobs-{period}.json").write_text(f'{{"jobs": [{lines(job_queue(period))}]}}\n')


def lines(items: list[dict[str, Any]]) -> str:
    return ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
