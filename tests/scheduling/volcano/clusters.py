"""A small cluster with Volcano's scheduler on it, in a run or for a single session."""

from __future__ import annotations

from tests.support.clusters import Cluster
from tests.support.objects import a_pod
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.kinds import PriorityClass
from wavetank.cluster.objects.volcano import GROUP_NAME, POD_GROUPS, PodGroup, Queue
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.volcano.config.conf import DEFAULT_CONF, parse_conf
from wavetank.scheduling.volcano.defects import check_defects
from wavetank.scheduling.volcano.definition import VolcanoDefinition
from wavetank.scheduling.volcano.model.cache import Cache
from wavetank.scheduling.volcano.plugins import plugin_makers
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.running import run_session
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.ties import ByName


def conf_of(*tiers, actions="enqueue, allocate, backfill"):
    """Writes a configuration: each tier names its plugins, or gives them with their options."""
    lines = [f'actions: "{actions}"', "tiers:"]
    for tier in tiers:
        lines.append("- plugins:")
        for plugin in tier:
            name, options = plugin if isinstance(plugin, tuple) else (plugin, {})
            lines.append(f"  - name: {name}")
            lines += [f"    {key}: {value}" for key, value in options.items()]
    return "\n".join(lines) + "\n"


GANG = conf_of(["priority", "gang"], ["predicates", "nodeorder"])


def a_queue(name="default", state="Open", **spec):
    return Queue({"metadata": {"name": name}, "spec": {"weight": 1, **spec}, "status": {"state": state}})


def a_group(name, least=1, phase="", annotations=None, **spec):
    status = {"phase": phase} if phase else {}
    metadata = {"name": name, "annotations": annotations or {}}
    return PodGroup({"metadata": metadata, "spec": {"minMember": least, **spec}, "status": status})


def a_class(name, value):
    return PriorityClass({"metadata": {"name": name}, "value": value})


def a_task(name, group="", *, role="worker", node="", phase="", annotations=None, **fields):
    """Returns a pod, which is of a PodGroup if one is named; on a node it is running."""
    marks = {GROUP_NAME: group, "volcano.sh/task-spec": role} if group else {}
    pod = a_pod(name, annotations={**marks, **(annotations or {})}, metadata={"uid": f"uid-of-{name}"}, **fields)
    pod.node_name, pod.phase = node, phase or ("Running" if node else "Pending")
    return pod


def tasks_of(group, number, **more):
    return [a_task(f"{group}-worker-{i}", group, **more) for i in range(number)]


def a_cache(*resources):
    """Fills a cache; the queue default is there unless it is given."""
    cache = Cache()
    cache.set_queue(a_queue())
    keep = {
        "Node": cache.set_node,
        "Queue": cache.set_queue,
        "PodGroup": cache.set_group,
        "PriorityClass": cache.set_class,
        "Pod": cache.set_pod,
    }
    for resource in resources:
        keep[resource.kind](resource)
    return cache


def session_on(cache, conf=DEFAULT_CONF, *, now=0, without=(), observer=None):
    """Runs one session and returns what it came to."""
    plugins = plugin_makers(KubePlugins(Listers()))
    names = check_defects(without)
    return run_session(
        Session(cache, parse_conf(conf), plugins, now=now, start=0, ties=ByName(), observer=observer, without=names)
    )


def bound(outcome):
    return {task.pod.name: node for task, node in outcome.binds}


def evicted(outcome):
    return [task.pod.name for task, _ in outcome.evicts]


class VolcanoCluster(Cluster):
    """A cluster with Volcano's scheduler attached."""

    def __init__(self, *objects, conf=DEFAULT_CONF, **more):
        super().__init__(*objects)
        definition = VolcanoDefinition("vc", "", parse_conf(conf), **more)
        self.scheduler = definition.attach(
            ActorContext(self.store, Streams(1), (1, 35)), SchedulerOptions(ties="exact")
        )

    def submit(self, *resources, at=0.0):
        """Creates objects at a time, in seconds."""
        for resource in resources:
            self.clock.at(round(at * SECOND), lambda resource=resource: self.store.create(resource))

    def group(self, name):
        return self.store.find(POD_GROUPS, "default", name)
