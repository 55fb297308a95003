"""Random Jobs that ask for domains of topologies, on nodes in blocks and racks."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence

from tests.controllers.kueue.mixed import APART_S
from tests.controllers.kueue.scenarios import STRATEGIES, Manifest, Scenario, random_queue
from tests.support.kueue import API, a_flavor, a_job, a_local_queue, a_priority_class

HOSTNAME = "kubernetes.io/hostname"
BLOCK, RACK = "block", "rack"
WORKLOADS = 16


def random_placed(seed: int, pods: bool = False) -> Scenario:
    """Returns a scenario drawn at random: queues whose flavors have topologies, and Jobs that ask for domains."""
    draw = random.Random(20_000 + seed)
    levels = draw.choice(([BLOCK, RACK, HOSTNAME], [BLOCK, RACK, HOSTNAME], [RACK, HOSTNAME], [BLOCK, RACK]))
    flavors = {"x": "cluster"}
    if draw.random() < 0.4:
        flavors["y"] = draw.choice(("", "cluster"))
    names = [f"q{i}" for i in range(draw.randint(2, 3))]
    cohort = draw.choice(("all", "all", ""))
    objects = [
        a_topology("cluster", levels),
        *(a_flavor(name, nodeLabels={"pool": name}, **_topology(given)) for name, given in flavors.items()),
        *(random_queue(draw, name, list(flavors), cohort) for name in names),
        *(a_local_queue(name, name) for name in names),
        a_priority_class("low", 0),
        a_priority_class("high", 10),
    ]
    config: Manifest = {}
    if draw.random() < 0.3:
        sharing = {"fairSharing": {"preemptionStrategies": draw.choice(STRATEGIES)}}
        config = sharing if cohort else {}  # without a cohort, Kueue 0.16.1 may crash (kubernetes-sigs/kueue#10891)
    jobs = [*_jobs(draw, names, levels), *_others(draw)]
    nodes = _nodes(draw, list(flavors))
    if not pods:
        return Scenario(objects, jobs, config, workloads=WORKLOADS, nodes=nodes)
    queued = [each for i, job in enumerate(_jobs(draw, names, levels)) for each in _as_pods(draw, job, i)]
    return Scenario(
        objects, [*queued, *_others(draw)], config, (), ("batch/job", "pod"), workloads=WORKLOADS, nodes=nodes
    )


def _as_pods(draw: random.Random, job: Manifest, number: int) -> list[Manifest]:
    """Returns a Job as it is, or as a pod or a group of pods of one or two roles; arrivals and ends never coincide."""
    kind, head, template = draw.choice(("job", "pod", "group", "group")), job["metadata"], job["spec"]["template"]
    arrival = float(head["annotations"]["wavetank.dev/arrival"].removesuffix("s")) + number * APART_S
    notes = {**template["metadata"]["annotations"], "wavetank.dev/arrival": f"{arrival:.3f}s"}
    notes["wavetank.dev/duration"] = head["annotations"]["wavetank.dev/duration"]
    head["annotations"]["wavetank.dev/arrival"] = notes["wavetank.dev/arrival"]
    if kind == "job":
        return [job]
    size = job["spec"]["parallelism"] if kind == "group" else 1
    made = []
    for i in range(size):
        metadata = {"name": f"{head['name']}-{i}", "namespace": "default", "labels": dict(head["labels"])}
        metadata["annotations"] = dict(notes)
        if kind == "group":
            metadata["labels"]["kueue.x-k8s.io/pod-group-name"] = head["name"]
            metadata["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = str(size)
        spec = copy.deepcopy(template["spec"])
        if i == 0 and size > 2:
            spec["containers"][0]["resources"]["requests"]["cpu"] = "1500m"  # another role
        made.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return made


def a_topology(name: str, levels: Sequence[str]) -> Manifest:
    """Returns a Topology."""
    spec = {"levels": [{"nodeLabel": level} for level in levels]}
    return {"apiVersion": API, "kind": "Topology", "metadata": {"name": name}, "spec": spec}


def _topology(name: str) -> Manifest:
    return {"topologyName": name} if name else {}


def _nodes(draw: random.Random, pools: Sequence[str]) -> list[Manifest]:
    """Returns nodes of two blocks with two or three racks each in every pool."""
    made = []
    for pool in pools:
        for block in range(2):
            for rack in range(draw.randint(2, 3)):
                labels = {"pool": pool, BLOCK: f"b{block}", RACK: f"b{block}r{rack}"}
                node = {
                    "name": f"{pool}{block}{rack}",
                    "count": draw.randint(1, 2),
                    "cpu": draw.choice((2, 3, 4)),
                    "memory": "16Gi",
                    "labels": labels,
                }
                if draw.random() < 0.15:
                    node["taints"] = [{"key": "special", "value": "yes", "effect": "NoSchedule"}]
                made.append(node)
    return made


def _jobs(draw: random.Random, names: Sequence[str], levels: Sequence[str]) -> list[Manifest]:
    jobs, time = [], 5
    for i in range(WORKLOADS):
        pods = draw.randint(1, 5)
        indexed = {"completionMode": draw.choice(("Indexed", "NonIndexed"))}
        requests = {"cpu": str(draw.randint(1, 2))}
        priority = draw.choice(("", "low", "high"))
        job = a_job(f"j{i}", draw.choice(names), time, draw.randint(15, 120), requests, pods, priority, **indexed)
        template = job["spec"]["template"]
        template["metadata"] = {"annotations": _asked(draw, levels if pods < 3 else levels[:-1])}
        if draw.random() < 0.3:
            template["spec"]["tolerations"] = [{"key": "special", "operator": "Exists"}]
        if pods > 1 and draw.random() < 0.2:
            _let_shrink(job, draw.randint(1, pods - 1))
        jobs.append(job)
        time += draw.randint(2, 14)
    return jobs


def _let_shrink(job: Manifest, least: int) -> None:
    """Lets fewer pods be admitted; the others are not made up for later.

    A pod that follows another gets its domain with it or a second later: both controllers wait for a second.
    """
    notes = {"job-min-parallelism": str(least), "job-completions-equal-parallelism": "true"}
    job["metadata"]["annotations"] |= {f"kueue.x-k8s.io/{name}": value for name, value in notes.items()}
    job["spec"]["completionMode"] = "Indexed"


def _asked(draw: random.Random, levels: Sequence[str]) -> Manifest:
    mode = draw.choice(("required", "required", "preferred", "preferred", "unconstrained", ""))
    if not mode:
        return {}
    value = "true" if mode == "unconstrained" else draw.choice(levels)
    return {f"kueue.x-k8s.io/podset-{mode}-topology": value}


def _others(draw: random.Random) -> list[Manifest]:
    """Returns pods without a queue, which take some of the nodes before any Job comes."""
    made = []
    for i in range(draw.randint(0, 3)):
        container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}
        node = ("x00-0", "x01-0", "x11-0")[i]  # not left to the scheduler, which may choose among equal ones
        spec = {"restartPolicy": "Never", "containers": [container], "nodeSelector": {HOSTNAME: node}}
        duration = draw.randint(1, 60) + draw.randint(30, 200) + 0.5
        notes = {"wavetank.dev/arrival": "1s", "wavetank.dev/duration": f"{duration}s"}
        metadata = {"name": f"other-{i}", "namespace": "default", "annotations": notes}
        made.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return made
