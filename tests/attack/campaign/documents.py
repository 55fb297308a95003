"""Random experiments: clusters, workloads of all kinds, schedulers, controllers, autoscalers and faults."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from tests.attack.campaign.checking import Capacity, amount
from wavetank.scheduling.named import named_schedulers

Manifest = dict[str, Any]

PROGRAMS = 0.15  # share of experiments whose scheduler is a program in the loop
EXITED = "has exited with status 3"
_PROGRAM = Path(__file__).with_name("program.py")

GPU = "nvidia.com/gpu"
_SHARED_GPUS = {"alibabacloud.com/gpu-count": "1"}
_SHARING = ("Random", "DotProd", "GpuClustering", "GpuPacking", "BestFit", "FGD")
_PRIORITY_CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "high"},
    "value": 1000,
}
_VERSIONS = ("1.19", "1.27", "1.29", "1.32", "1.33", "1.35", "1.36")


@dataclass
class Made:
    """An experiment, the capacities of its nodes, and the names of pods that must not get lost."""

    document: Manifest
    capacities: dict[str, Capacity] = field(default_factory=dict)
    pods: list[str] = field(default_factory=list)
    objects: list[Manifest] = field(default_factory=list)
    may_fail: str = "the clock stands still"  # actors without latency may undo each other's work without end


def make(random: Random) -> Made:
    """Returns a random experiment."""
    program = random.random() < PROGRAMS
    scheduler = "program" if program else random.choice(sorted(named_schedulers()))
    made = Made({"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "fuzz"}})
    spec: Manifest = {"schedulers": [{"name": scheduler}], "seeds": [random.randrange(1000)], "horizon": "2h"}
    spec["cluster"] = {"nodes": _nodes(random, made, shared_gpus=scheduler in _SHARING), "objects": [_PRIORITY_CLASS]}
    spec["latency"] = random.choice(["ideal", "ideal", "k3s"])
    spec["ties"] = random.choice(["random", "exact"])
    plain = scheduler not in _SHARING
    if plain and random.random() < 0.5:
        spec["kubernetesVersion"] = random.choice(_VERSIONS)
    if random.random() < 0.25:
        spec["workload"] = {"generator": _generator(random)}
    else:
        made.objects = _objects(random, made, shared_gpus=not plain)
        spec["workload"] = {"file": "workload.yaml"}
    if program:
        spec |= {"schedulers": [_program(random, made)], "horizon": "20m"}
    if plain and random.random() < 0.2:
        spec |= _machines(random)
    if random.random() < 0.3:
        spec |= _pod_autoscaler(random, made)
    if random.random() < 0.3:
        spec["cluster"]["objects"] += _queue(random, made)
    if random.random() < 0.2:
        spec["faults"] = _faults(random, made)
    if scheduler in ("LRP", "MRP", "BRA", "EP") and random.random() < 0.4:
        spec["execution"] = "k8ssim"
        spec.pop("faults", None)
    made.document["spec"] = spec
    return made


def _nodes(random: Random, made: Made, shared_gpus: bool) -> list[Manifest]:
    groups = []
    for i in range(random.randint(1, 3)):
        cpu, memory, pods = (
            random.choice([1, 2, 4, 16]),
            random.choice(["2Gi", "8Gi", "64Gi"]),
            random.choice([3, 20, 110]),
        )
        gpus = random.choice([0, 1, 4]) if not shared_gpus or i else 4
        group: Manifest = {"name": f"g{i}", "count": random.randint(1, 5), "cpu": cpu, "memory": memory, "pods": pods}
        if gpus:
            group["resources"] = {GPU: gpus}
        if random.random() < 0.3:
            group["zone"] = ["a", "b"]
        if i and random.random() < 0.2:
            group["taints"] = [{"key": "t", "effect": random.choice(["NoSchedule", "PreferNoSchedule"])}]
        groups.append(group)
        capacity = {"cpu": Fraction(cpu), "memory": amount(memory), "pods": Fraction(pods)}
        capacity |= {name: Fraction(number) for name, number in group.get("resources", {}).items()}
        made.capacities |= {f"g{i}-{number}": capacity for number in range(group["count"])}
    return groups


def _generator(random: Random) -> Manifest:
    usual = {"pods": random.randint(1, 80), "requests": {"cpu": random.choice(["100m", 1, 2]), "memory": "256Mi"}}
    kind = random.choice(["burst", "poisson"])
    rate = {} if kind == "burst" else {"rate": random.choice([0.1, 1, 20])}
    return {"kind": kind, "duration": random.choice([1, 30, 300]), **usual, **rate}


def _objects(random: Random, made: Made, shared_gpus: bool) -> list[Manifest]:
    kinds = [_pod] * 3 if shared_gpus else [_pod, _pod, _pod, _deployment, _stateful, _daemon, _job, _cron_job]
    return [random.choice(kinds)(random, made, f"o{i}", shared_gpus) for i in range(random.randint(1, 25))]


def _pod(random: Random, made: Made, name: str, shared_gpus: bool) -> Manifest:
    made.pods.append(name)
    template = _template(random, made, shared_gpus)
    if random.random() < 0.1:
        template["spec"]["nodeName"] = random.choice([*sorted(made.capacities), "missing"])
    if random.random() < 0.2:
        template["metadata"]["annotations"]["wavetank.dev/arrival"] = str(random.randint(0, 600))
    metadata = {"name": name, "namespace": "default", **template["metadata"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def _template(random: Random, made: Made, shared_gpus: bool = False, runs: bool = True) -> Manifest:
    requests: Manifest = {"cpu": random.choice(["50m", "1", "3"]), "memory": random.choice(["64Mi", "1Gi", "4Gi"])}
    annotations = {"wavetank.dev/duration": str(random.choice([0, 1, 60, 900]))} if runs else {}
    if shared_gpus:
        annotations |= _SHARED_GPUS | {"alibabacloud.com/gpu-milli": str(random.choice([100, 500, 1000]))}
    elif random.random() < 0.2:
        requests[GPU] = random.choice([1, 2])
    spec: Manifest = {"containers": [{"name": "c", "image": "app:1", "resources": {"requests": requests}}]}
    if GPU in requests:
        spec["containers"][0]["resources"]["limits"] = {GPU: requests[GPU]}
    if not shared_gpus:
        spec |= _wishes(random)
    return {"metadata": {"labels": {"app": random.choice("xyz")}, "annotations": annotations}, "spec": spec}


def _wishes(random: Random) -> Manifest:
    """Returns some of the constraints that a pod may have."""
    wishes: Manifest = {}
    selector = {"matchLabels": {"app": random.choice("xyz")}}
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}
    if random.random() < 0.15:
        wishes["priorityClassName"] = "high"
    if random.random() < 0.15:
        how = random.choice(["podAntiAffinity", "podAffinity"])
        preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "podAffinityTerm": term}]}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
        wishes["affinity"] = {how: random.choice([preferred, required])}
    if random.random() < 0.1:
        spread = {"maxSkew": 1, "whenUnsatisfiable": random.choice(["DoNotSchedule", "ScheduleAnyway"])}
        wishes["topologySpreadConstraints"] = [{**spread, **term}]
    if random.random() < 0.2:
        wishes["tolerations"] = [{"operator": "Exists"}]
    return wishes


def _owner(kind: str, api: str, name: str, template: Manifest, **spec: Any) -> Manifest:
    labels = {"owner": name, **template["metadata"]["labels"]}
    template["metadata"]["labels"] = labels
    spec = {"selector": {"matchLabels": {"owner": name}}, "template": template, **spec}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def _deployment(random: Random, made: Made, name: str, _: bool) -> Manifest:
    return _owner("Deployment", "apps/v1", name, _template(random, made, runs=False), replicas=random.randint(0, 6))


def _stateful(random: Random, made: Made, name: str, _: bool) -> Manifest:
    replicas = random.randint(0, 4)
    return _owner(
        "StatefulSet", "apps/v1", name, _template(random, made, runs=False), replicas=replicas, serviceName=name
    )


def _daemon(random: Random, made: Made, name: str, _: bool) -> Manifest:
    return _owner("DaemonSet", "apps/v1", name, _template(random, made, runs=False))


def _job(random: Random, made: Made, name: str, _: bool) -> Manifest:
    template = _template(random, made)
    template["spec"]["restartPolicy"] = "Never"
    spec = {"parallelism": random.randint(1, 4), "completions": random.randint(1, 6), "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def _cron_job(random: Random, made: Made, name: str, _: bool) -> Manifest:
    job = _job(random, made, name, False)
    spec = {"schedule": random.choice(["*/10 * * * *", "0 * * * *"]), "jobTemplate": {"spec": job["spec"]}}
    return {**job, "kind": "CronJob", "spec": spec}


def _machines(random: Random) -> Manifest:
    """Returns node groups with the cluster autoscaler, or node pools as Karpenter's."""
    if random.random() < 0.5:
        group = {"name": "more", "max": random.randint(1, 4), "cpu": 4, "memory": "16Gi", "boot": "60s"}
        return {
            "nodeGroups": [group],
            "autoscaler": {"scale-down-unneeded-time": "2m", "scale-down-delay-after-add": "2m"},
        }
    return {"nodePools": [{"name": "pool", "instanceTypes": "kwok", "boot": "45s"}]}


def _pod_autoscaler(random: Random, made: Made) -> Manifest:
    """Returns an HPA of one of the Deployments, with its load."""
    deployments = [each["metadata"]["name"] for each in made.objects if each["kind"] == "Deployment"]
    if not deployments:
        return {}
    target = random.choice(deployments)
    return {
        "hpa": [{"target": target, "min": 1, "max": random.randint(1, 8), "cpu": "60%", "scaleDown": {"window": "1m"}}],
        "metrics": {"loads": [{"selector": {"owner": target}, "total": random.choice([0, 0.5, 4])}]},
    }


def _queue(random: Random, made: Made) -> list[Manifest]:
    """Puts some of the Jobs into a queue of Kueue; returns the queue's objects."""
    api = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
    for job in made.objects:
        if job["kind"] == "Job" and random.random() < 0.7:
            job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "queue"}
    quotas = [
        {"name": "cpu", "nominalQuota": random.choice([1, 4, 32])},
        {"name": "memory", "nominalQuota": random.choice(["1Gi", "64Gi"])},
    ]
    group = {"coveredResources": ["cpu", "memory"], "flavors": [{"name": "any", "resources": quotas}]}
    order = random.choice(["StrictFIFO", "BestEffortFIFO"])
    queue = {"namespaceSelector": {}, "queueingStrategy": order, "resourceGroups": [group]}
    return [
        {**api, "kind": "ResourceFlavor", "metadata": {"name": "any"}},
        {**api, "kind": "ClusterQueue", "metadata": {"name": "all"}, "spec": queue},
        {
            **api,
            "kind": "LocalQueue",
            "metadata": {"name": "queue", "namespace": "default"},
            "spec": {"clusterQueue": "all"},
        },
    ]


def _program(random: Random, made: Made) -> Manifest:
    """Returns a scheduler that is a program in the loop, which watches or polls, and may flood the API or crash."""
    behaviour = [random.choice(["watch", "poll"])]
    if not made.objects and random.random() < 0.5:  # a controller would replace every pod that a node rejects
        behaviour.append("careless")
    if random.random() < 0.3:
        behaviour.append("flood")
    if random.random() < 0.15:
        behaviour.append("crash")
        made.may_fail = EXITED
    command = [sys.executable, str(_PROGRAM), "{server}", ",".join(behaviour), str(random.randrange(1000))]
    return {"name": "program", "process": {"command": command}}


def _faults(random: Random, made: Made) -> list[Mapping[str, Any]]:
    node, at = random.choice(sorted(made.capacities)), f"{random.randint(0, 600)}s"
    return [{"at": at, random.choice(["fail", "cordon", "drain"]): node, "for": random.choice(["30s", "10m"])}]
