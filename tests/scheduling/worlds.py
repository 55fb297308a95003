"""A small cluster for one scheduling cycle: nodes, pods on them, other objects, a profile."""

from random import Random

from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.scheduling.config import parse_configuration
from wavetank.scheduling.extenders.extenders import Extenders
from wavetank.scheduling.framework.cycle.cycle import Cycle, Rotation
from wavetank.scheduling.framework.cycle.selection import ExactTies
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.registry import Handle, build_frameworks

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def a_node(name, *, cpu="4", pods="110", labels=None):
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": pods}
    return Node({"metadata": {"name": name, "labels": labels or {}}, "status": {"allocatable": allocatable}})


def a_pod(name="p", *, cpu="1", uid="", priority=0, requests=None, labels=None, **spec):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, **(requests or {})}}}
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "uid": uid or f"uid-of-{name}", "labels": labels or {}},
        "spec": {"containers": [container], "priority": priority, **spec},
    }
    return Pod.parse(manifest, SpecTable())


class World:
    """What one scheduler knows, with the means to try pods on it."""

    def __init__(self, nodes, *, objects=(), extenders=(), version=(1, 35), **configuration):
        self.table = NodeTable()
        self.listers = Listers()
        self.rotation = Rotation()
        for node in nodes:
            self.table.set_node(node)
        for manifest in objects:
            self.listers.set(parse_resource(manifest, SpecTable()))
        handle = Handle(version, self.listers, Random(0), Extenders(extenders, Random(0)))
        (self.framework,) = build_frameworks(parse_configuration({**HEAD, **configuration}, version), handle)

    def cycle(self, pod):
        return Cycle(self.framework, self.table, pod)

    def schedule(self, pod):
        """Makes one attempt, and puts the pod on its node if there is one."""
        outcome = self.cycle(pod).run(self.rotation, ExactTies())
        if outcome.node_name:
            self.table.add_pod(pod, outcome.node_name)
        return outcome

    def names(self, slots):
        return [self.table.nodes[slot].name for slot in slots]
