"""A cluster in virtual time, with one scheduler on it and nobody else."""

from __future__ import annotations

from tests.scheduling.worlds import HEAD
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.config import parse_configuration
from wavetank.scheduling.definition import SchedulerDefinition


class Running:
    """A store whose pods are scheduled as time goes on."""

    def __init__(self, *objects, connect=None, version=(1, 35), **configuration):
        self.clock = Clock()
        self.store = Store(self.clock)
        for manifest in objects:
            self.create(manifest)
        parsed = parse_configuration({**HEAD, **configuration}, version)
        definition = SchedulerDefinition("tested", "", parsed)
        self.scheduler = definition.attach(
            ActorContext(self.store, Streams(0), version), SchedulerOptions(ties="exact", connect=connect)
        )

    def create(self, manifest):
        resource = parse_resource(manifest, self.store.specs)
        self.store.create(resource)
        return resource

    def run(self, seconds=0):
        self.clock.run(self.clock.now + int(seconds * SECOND))

    def pod(self, name):
        return self.store.find("Pod", "default", name)


def node_manifest(name, *, cpu="4"):
    status = {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def pod_manifest(name, *, cpu="1", **spec):
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}
