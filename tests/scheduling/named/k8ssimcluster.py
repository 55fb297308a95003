"""What the tests of this folder share: a cluster for one session of one of K8sSim's algorithms for Volcano."""

from tests.support.clusters import Cluster
from tests.support.objects import node_manifest, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.named import find_scheduler

GROUP = "scheduling.k8s.io/group-name"
SMALL, LARGE = ("small", 4, "8Gi"), ("large", 8, "16Gi")
NAMES = (
    *("GANG_BRA", "GANG_MRP", "GANG_LRP", "DRF_BRA", "DRF_MRP", "DRF_LRP"),
    *("GANG_DRF_BRA", "GANG_DRF_MRP", "GANG_DRF_LRP", "SLA_BRA", "SLA_MRP", "SLA_LRP", "GANG_DRF_BINPACK"),
)


class K8sSimCluster(Cluster):
    """A cluster whose jobs are created one after the other, so that earlier ones are older."""

    def __init__(self, *nodes):
        super().__init__(*(node_manifest(name, cpu=cpu, memory=memory) for name, cpu, memory in nodes))

    def job(self, name, pods=1, least=1, cpu="1", memory="1Gi", on="", **annotations):
        """Creates a PodGroup and its pods; those with `on` run there already."""
        wanted = {"minMember": least, "queue": "default"}
        phase = "Running" if on else "Pending"
        notes = {key.replace("_", "-"): value for key, value in annotations.items()}
        group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "spec": wanted}
        metadata = {"name": name, "namespace": "default", "annotations": notes}
        self.create({**group, "metadata": metadata, "status": {"phase": phase}})
        given = {"cpu": cpu, "memory": memory, "annotations": {GROUP: name}, "schedulerName": "volcano"}
        for i in range(pods):
            self.create(pod_manifest(f"{name}-{i}", node=on, status={"phase": phase}, **given))
        return self

    def schedule(self, algorithm):
        """Makes one session; returns where the pods are."""
        context = ActorContext(self.store, Streams(1), (1, 36))
        find_scheduler(algorithm, context.version).attach(context, SchedulerOptions(ties="exact"))
        self.store.clock.run(0)
        return {pod.name: pod.node_name for pod in self.store.list("Pod")}
