"""Workloads that grow until they request a share of a cluster, to measure packing.

From: Weng et al., Beware of Fragmentation, USENIX ATC 2023, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from wavetank.cluster.objects.gpus import GPU, WHOLE, gpu_demand
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.documents import types
from wavetank.documents.reading import MOST_OBJECTS
from wavetank.documents.structure import Structure, field
from wavetank.errors import InputError
from wavetank.kernel.gorandom import GoRandom
from wavetank.kernel.randomness import Streams
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Arrival, Workload

GPUS = "gpu"  # the name for GPUs whole and in part, which pods request in annotations
_INFORMERS = 10  # of kube-scheduler in that simulator: each draws once, for the timeout of its watch, before the nodes


class Inflated:
    """The pods of a workload in random order, then clones of any of them, until all request `most` of a resource.

    If they request more from the start, random ones are left out. All arrive at time 0, one after the other, and never
    end. A seed draws the very order of pods, clones and nodes that it draws in the simulator of the paper
    (hkust-adsl/kubernetes-scheduler-simulator), so that results can be compared seed by seed.
    """

    def __init__(self, original: Workload, resource: str, most: float, description: str) -> None:
        self.original = original
        self.resource = resource
        self.description = description
        self._most = most

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods."""
        pods = _by_name(arrival.pod for arrival in self.original.arrivals(specs, streams))
        order, originals, _ = self._draw(pods, streams.seed)
        for number, i in enumerate(order):
            clone = f"-clone-{number - originals}" if number >= originals else ""
            yield _forever(pods[i], pods[i].name + clone)

    def node_order(self, names: Sequence[str], seed: int) -> list[str]:
        """Returns the nodes in the order in which policies of the paper take those that are equal."""
        _, _, random = self._draw(_by_name(known_pods(self, seed)), seed)
        for _ in range(_INFORMERS):
            random.float64()
        turns = random.perm(len(names))
        return [name for _, name in sorted(zip(turns, sorted(names), strict=True))]

    def _draw(self, pods: Sequence[Pod], seed: int) -> tuple[list[int], int, GoRandom]:
        """Returns the order of the pods, how many of them are no clones, and the numbers that are still to be drawn."""
        random = GoRandom(seed)
        random.int63()  # printed there to a log
        asked = [demand_of(pod, self.resource) for pod in pods]
        order = list(range(len(pods)))
        random.shuffle(order)
        total = sum(asked)
        while total > self._most:
            total -= asked[order.pop(random.intn(len(order)))]
        originals = len(order)
        while originals == len(pods) and total != self._most:
            clone = random.intn(len(pods))
            if total + _part(pods[clone], self.resource) > self._most:
                break
            total += asked[clone]
            order.append(clone)
        return order, originals, random


class InflateSpec(Structure):
    """How much of a resource the pods of an inflated workload request."""

    resource: str = field(
        types.text, doc="what is counted: `cpu`, `memory`, `gpu` (whole and in part), or another resource"
    )
    target: float = field(
        types.number(), doc="how much the pods request, as a multiple of what the cluster has; 1.3 is more than fits"
    )


def inflate(workload: Workload, wanted: InflateSpec, cluster: Cluster, path: str) -> Inflated:
    """Makes a workload request `target` times what the cluster has of a resource.

    The resource is `gpu`, with parts of GPUs, or one that pods request. InputError if no node has it, or no pod
    requests it.
    """
    resource, target = wanted.resource, wanted.target
    capacity = capacity_of(cluster, resource)
    if not capacity:
        raise InputError(f"no node has {resource}", path=f"{path}.resource")
    _check_demand(workload, resource, target * capacity, path)
    words = f"{workload.description}, inflated to {target:g} of {resource}"
    return Inflated(workload, resource, target * capacity, words)


def demand_of(pod: Pod, resource: str) -> int:
    """Returns how much of a resource a pod requests; of GPUs in thousandths."""
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
    if pods * most / asked > MOST_OBJECTS:
        raise InputError(f"expected a target for at most {MOST_OBJECTS} pods", path=f"{path}.target")


def _by_name(pods: Iterable[Pod]) -> list[Pod]:
    return sorted(pods, key=attrgetter("name"))


def _part(pod: Pod, resource: str) -> int:
    """Returns what of a clone must still fit: of several GPUs only one, as in that simulator."""
    return gpu_demand(pod).milli if resource == GPUS else demand_of(pod, resource)


def _forever(pod: Pod, name: str) -> Arrival:
    pod = pod.copy()
    pod.name = name
    pod.behavior = PodBehavior(None)
    return Arrival(0, pod)
