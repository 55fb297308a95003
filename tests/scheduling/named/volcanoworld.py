"""What the tests of this folder share: a cluster for one session of one of K8sSim's algorithms for Volcano."""

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.named import find_scheduler

GROUP = "scheduling.k8s.io/group-name"
SMALL, LARGE = ("small", 4, "8Gi"), ("large", 8, "16Gi")
NAMES = (
    *("GANG_BRA", "GANG_MRP", "GANG_LRP", "DRF_BRA", "DRF_MRP", "DRF_LRP"),
    *("GANG_DRF_BRA", "GANG_DRF_MRP", "GANG_DRF_LRP", "SLA_BRA", "SLA_MRP", "SLA_LRP", "GANG_DRF_BINPACK"),
)


class World:
    """A cluster whose jobs are created one after the other, so that those before are older."""

    def __init__(self, *nodes):
        self.store = Store(Clock())
        for name, cpu, memory in nodes:
            allocatable = {"cpu": cpu, "memory": memory, "pods": 110}
            self.create("v1", "Node", name, status={"allocatable": allocatable, "capacity": allocatable})

    def create(self, version, kind, name, annotations=None, **fields):
        metadata = {"name": name, "annotations": annotations or {}}
        if kind != "Node":
            metadata["namespace"] = "default"
        manifest = {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}
        self.store.create(parse_resource(manifest, self.store.specs))

    def job(self, name, pods=1, least=1, cpu="1", memory="1Gi", on="", **annotations):
        """Creates a PodGroup and its pods; those with `on` run there already."""
        wanted = {"minMember": least, "queue": "default"}
        phase = "Running" if on else "Pending"
        notes = {key.replace("_", "-"): value for key, value in annotations.items()}
        group = "scheduling.volcano.sh/v1beta1"
        self.create(group, "PodGroup", name, notes, spec=wanted, status={"phase": phase})
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": memory}}}
        spec = {"containers": [container], "schedulerName": "volcano"} | ({"nodeName": on} if on else {})
        for i in range(pods):
            status = {"phase": "Running"} if on else {}
            self.create("v1", "Pod", f"{name}-{i}", {GROUP: name}, spec=spec, status=status)
        return self

    def schedule(self, algorithm):
        """Makes one session; returns where the pods are."""
        context = ActorContext(self.store, Streams(1), (1, 36))
        find_scheduler(algorithm, context.version).attach(context, SchedulerOptions(ties="exact"))
        self.store.clock.run(0)
        return {pod.name: pod.node_name for pod in self.store.list("Pod")}
