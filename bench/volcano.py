"""One session of Volcano's scheduler on an empty cluster, under the configuration compiled into it."""

from __future__ import annotations

import time

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.volcano import GROUP_NAME, PodGroup, Queue
from wavetank.kernel.garbage import rare_collections
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.volcano.config.conf import DEFAULT_CONF, parse_conf
from wavetank.scheduling.volcano.model.cache import Cache
from wavetank.scheduling.volcano.plugins import plugin_makers
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.running import run_session
from wavetank.scheduling.volcano.session.outcome import SessionOutcome
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.ties import ByName

ROLE = "volcano.sh/task-spec"


def session(nodes: int, jobs: int, size: int) -> tuple[int, str, float]:
    """Enqueues and binds jobs of so many tasks each, whose tasks ask for one of four amounts."""
    _run(_cluster(20, 2, size))  # compiles, or loads what was compiled
    cache = _cluster(nodes, jobs, size)
    with rare_collections():
        begun = time.perf_counter()
        outcome = _run(cache)
        return len(outcome.binds), "binds", time.perf_counter() - begun


def _run(cache: Cache) -> SessionOutcome:
    plugins = plugin_makers(KubePlugins(Listers()))
    return run_session(Session(cache, parse_conf(DEFAULT_CONF), plugins, now=0, start=0, ties=ByName()))


def _cluster(nodes: int, jobs: int, size: int) -> Cache:
    cache, specs = Cache(), SpecTable()
    cache.set_queue(Queue({"metadata": {"name": "default"}, "spec": {"weight": 1}, "status": {"state": "Open"}}))
    room = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    for number in range(nodes):
        cache.set_node(Node({"metadata": {"name": f"node-{number:05}"}, "status": {"allocatable": room}}))
    for job in range(jobs):
        least = {"cpu": str(size), "memory": f"{size}Gi"}
        spec = {"minMember": size, "queue": "default", "minResources": least}
        cache.set_group(PodGroup({"metadata": {"name": f"job-{job}"}, "spec": spec}))
        for task in range(size):
            cache.set_pod(_task(job, task, specs))
    return cache


def _task(job: int, number: int, specs: SpecTable) -> Pod:
    container = {"name": "main", "resources": {"requests": {"cpu": "1", "memory": f"{1 + job % 4}Gi"}}}
    annotations = {GROUP_NAME: f"job-{job}", ROLE: "worker"}
    name = f"job-{job}-worker-{number}"
    metadata = {"name": name, "uid": name, "annotations": annotations}
    return Pod.parse({"metadata": metadata, "spec": {"containers": [container]}}, specs)
