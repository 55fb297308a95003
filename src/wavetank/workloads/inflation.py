"""Workloads that grow until they ask for so much of a cluster: how packing is measured.

From: Weng et al., Beware of Fragmentation, USENIX ATC 2023, section 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from wavetank.cluster.gpus import GPU, WHOLE, gpu_demand
from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.podspec import SpecTable
from wavetank.cluster.run import Run
from wavetank.errors import InputError
from wavetank.kernel.randomness import Streams
from wavetank.workloads import fields
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Arrival, Workload

GPUS = "gpu"  # the name for GPUs whole and in part, which pods ask for in annotations


class Inflated:
    """The pods of a workload in random order, then clones of any of them, while all ask for at most `most`.

    If they ask for more from the start, any of them are left out. All come at time 0, one after the other, and run for
    ever. What is drawn follows the seed.
    """

    def __init__(self, original: Workload, resource: str, most: int, description: str) -> None:
        self.original = original
        self.resource = resource
        self.description = description
        self._most = most

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods."""
        random = streams.stream("workload/inflation")
        pods = [arrival.pod for arrival in self.original.arrivals(specs, streams)]
        asked = [demand_of(pod, self.resource) for pod in pods]
        order = random.sample(range(len(pods)), len(pods))
        total = sum(asked)
        while total > self._most:
            total -= asked[order.pop(random.randrange(len(order)))]
        for i in order:
            yield _forever(pods[i], pods[i].name)
        for number, i in enumerate(iter(partial(random.randrange, len(pods)), None)):
            total += asked[i]
            if total > self._most:
                return
            yield _forever(pods[i], f"{pods[i].name}-clone-{number}")


def inflate(workload: Workload, wanted: object, cluster: Cluster, path: str) -> Inflated:
    """Makes a workload ask for {resource: R, target: T}: T times what the cluster has of R.

    R is `gpu`, with parts of GPUs, or a resource that pods request. InputError if nobody has it or wants it.
    """
    given = fields.mapping(wanted, path, ("resource", "target"))
    resource = fields.text(given.get("resource"), f"{path}.resource")
    target = fields.number(given.get("target"), f"{path}.target")
    capacity = capacity_of(cluster, resource)
    if not capacity:
        raise InputError(f"no node has {resource}", path=f"{path}.resource")
    _check_demand(workload, resource, target * capacity, path)
    words = f"{workload.description}, inflated to {target:g} of {resource}"
    return Inflated(workload, resource, int(target * capacity), words)


def demand_of(pod: Pod, resource: str) -> int:
    """Returns how much of a resource a pod asks for; of GPUs in thousandths."""
    return gpu_demand(pod).total if resource == GPUS else pod.requests.get(resource, 0)


def capacity_of(cluster: Cluster, resource: str) -> int:
    """Returns how much of a resource all nodes have, in the same unit."""
    nodes = (Node(manifest) for manifest in cluster.manifests if manifest.get("kind") == Node.kind)
    name, factor = (GPU, WHOLE) if resource == GPUS else (resource, 1)
    return factor * sum(node.allocatable.get(name, 0) for node in nodes)


def known_pods(workload: Workload, seed: int) -> Iterator[Pod]:
    """Yields the pods by which a workload is known beforehand: of an inflated one, those that it was made from."""
    original = workload.original if isinstance(workload, Inflated) else workload
    return (arrival.pod for arrival in original.arrivals(SpecTable(), Streams(seed)))


def _check_demand(workload: Workload, resource: str, most: float, path: str) -> None:
    pods, asked = 0, 0
    for pod in known_pods(workload, seed=0):
        try:
            pods, asked = pods + 1, asked + demand_of(pod, resource)
        except InputError as error:
            raise error.inside(path=f"{path}: pod {pod.namespace}/{pod.name}") from None
    if not asked:
        raise InputError(f"no pod asks for {resource}", path=f"{path}.resource")
    if pods * most / asked > fields.MOST_OBJECTS:
        raise InputError(f"expected a target for at most {fields.MOST_OBJECTS} pods", path=f"{path}.target")


def _forever(pod: Pod, name: str) -> Arrival:
    pod = pod.copy()
    pod.name = name
    pod.run = Run(None)
    return Arrival(0, pod)
