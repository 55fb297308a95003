"""Random Jobs, pods and groups of pods, in queues with admission checks that are stopped and started again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.controllers.kueue.scenarios import Change, Manifest, Scenario, random_queues
from tests.support.kueue import (
    API,
    QUEUE,
    a_cluster_queue,
    a_flavor,
    a_job,
    a_local_queue,
    a_priority_class,
)
from wavetank.cluster.objects.groupkinds import CLUSTER_QUEUE, LOCAL_QUEUE

WORKLOADS = 14
APART_S = 0.037  # so that no arrival falls together with an end: at one instant either may come first
_KINDS = ("job", "pod", "pod", "group", "group")


def random_mixed(seed: int) -> Scenario:
    """Returns a scenario drawn at random: two to four queues with Jobs, pods and groups of pods."""
    draw = random.Random(10_000 + seed)
    objects, names = random_queues(draw)
    objects += _checks(draw, objects)
    objects += [_pod_priority("background", -5), _pod_priority("urgent", 5)]
    jobs: list[Manifest] = []
    time = 5
    for i in range(WORKLOADS):
        jobs += _submission(draw, f"w{i}", draw.choice(names), time + i * APART_S)
        time += draw.randint(3, 14)
    changes = _stops(draw, names, time)
    return Scenario(objects, jobs, {}, changes, ("batch/job", "pod"), WORKLOADS)


def _pod_priority(name: str, value: int) -> Manifest:
    head = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**head, "metadata": {"name": name}, "value": value, "preemptionPolicy": "Never"}


def _checks(draw: random.Random, objects: Sequence[Manifest]) -> list[Manifest]:
    """Returns admission checks, and lets some of the queues require them."""
    checks: dict[str, Manifest] = {}
    for queue in objects:
        if queue["kind"] != "ClusterQueue" or draw.random() > 0.3:
            continue
        answer = draw.choice(("Ready", "Ready", "Ready", "Rejected"))
        check = a_check(answer, draw.randint(0, 20))
        name = check["metadata"]["name"]
        checks[name] = check
        queue["spec"]["admissionChecksStrategy"] = {"admissionChecks": [{"name": name}]}
    return list(checks.values())


def a_check(answer: str, delay_s: int) -> Manifest:
    """Returns an AdmissionCheck that is answered after some time."""
    notes = {"wavetank.dev/check-delay": f"{delay_s}s", "wavetank.dev/check-answer": answer}
    metadata = {"name": f"{answer.lower()}-{delay_s}", "annotations": notes}
    spec = {"controllerName": "wavetank.dev/simulated"}
    return {"apiVersion": API, "kind": "AdmissionCheck", "metadata": metadata, "spec": spec}


def retried_checks() -> Scenario:
    """Returns a scenario in which one of two checks wants to be asked again and again."""
    checks = [a_check("Retry", 7), a_check("Ready", 3)]
    strategy = {"admissionChecks": [{"name": each["metadata"]["name"]} for each in checks]}
    queue = a_cluster_queue("q", {"x": {"cpu": 4}}, admissionChecksStrategy=strategy)
    objects = [*checks, a_flavor("x"), queue, a_local_queue("q", "q"), a_priority_class("low", 0)]
    jobs = [a_job(f"j{i}", "q", 5 + 4 * i, 20, {"cpu": "3"}, priority="low") for i in range(2)]
    return Scenario(objects, jobs, workloads=2)


def _stops(draw: random.Random, names: Sequence[str], end_s: int) -> list[Change]:
    if draw.random() < 0.4:
        return []
    kind, name = draw.choice((CLUSTER_QUEUE, LOCAL_QUEUE)), draw.choice(names)
    begin = draw.randint(20, end_s) + 0.02
    policy = draw.choice(("Hold", "HoldAndDrain"))
    return [Change(begin, kind, name, policy), Change(begin + draw.randint(10, 60), kind, name, "None")]


def _submission(draw: random.Random, name: str, queue: str, time_s: float) -> list[Manifest]:
    """Returns a Job, a pod, or the pods of a group with one or two roles."""
    kind, pods, duration = draw.choice(_KINDS), draw.randint(1, 4), draw.randint(15, 100)
    priority, cpu = draw.choice(("", "low", "high")), draw.randint(1, 3)
    of_pods = draw.choice(("", "", "urgent", "background"))
    if kind == "job":
        return [a_job(name, queue, time_s, duration, {"cpu": str(cpu)}, pods, priority)]
    if kind == "pod":
        return [_pod(name, queue, time_s, duration, cpu, priority, of_pods)]
    other = draw.choice((cpu, 1))
    made = []
    later = draw.choice((0, 0, 7))  # than the pod before it, another one ends
    for i in range(pods + 1):
        pod = _pod(f"{name}-{i}", queue, time_s, duration + i * later, other if i == 0 else cpu, priority, of_pods)
        pod["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] = name
        pod["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = str(pods + 1)
        made.append(pod)
    return made


def _pod(name: str, queue: str, time_s: float, duration_s: int, cpu: int, priority: str, of_pods: str) -> Manifest:
    labels = {QUEUE: queue, **({"kueue.x-k8s.io/priority-class": priority} if priority else {})}
    annotations = {"wavetank.dev/arrival": f"{time_s:.3f}s", "wavetank.dev/duration": f"{duration_s}s"}
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}
    spec: dict[str, Any] = {"restartPolicy": "Never", "containers": [container]}
    if of_pods:
        spec["priorityClassName"] = of_pods
    metadata = {"name": name, "namespace": "default", "labels": labels, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
