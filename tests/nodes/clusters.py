"""Nodes with kubelets, and a log of what happens to their pods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.clusters import Cluster
from tests.support.objects import node_manifest, pod_manifest
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.kernel.distributions import Constant
from wavetank.kernel.durations import seconds
from wavetank.kernel.randomness import Streams
from wavetank.nodes.faults import Fault, Faults
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.nodes.kubelet.latency import NodeLatency

GONE = "gone"
READY = [{"type": "Ready", "status": "True"}]


def latency(bandwidth: float | None = None, image_bytes: int = 100, **times: float) -> NodeLatency:
    """Makes a latency model of constant times, in seconds."""
    models: dict[str, Any] = {name: Constant(time) for name, time in times.items()}
    return NodeLatency(bandwidth=bandwidth, image_bytes=image_bytes, **models)


def a_run(
    duration: float | None = None, exit_code: int = 0, termination: float = 0, flops: float = 0, job: Job | None = None
) -> PodBehavior:
    return PodBehavior(None if duration is None else seconds(duration), exit_code, seconds(termination), flops, job)


def a_job(size: int, walltime: float | None = None) -> Job:
    return Job("1", "w", "p", size, None if walltime is None else seconds(walltime))


class KubeletCluster(Cluster):
    """A cluster with kubelets; `log` has (seconds, pod, phase or "gone") of every change of phase.

    Times are in seconds. Finished pods stay in the store, so that a test can ask for them, unless told otherwise.
    """

    def __init__(self, nodes: NodeLatency | None = None, keep_finished: bool = True, sharing: bool = False) -> None:
        super().__init__()
        self.context = ActorContext(self.store, Streams(1), (1, 36))
        self.kubelets = Kubelets(self.context, nodes, keep_finished, sharing)
        self.log: list[tuple[float, str, str]] = []
        self.store.subscribe("Pod", self)

    # what there is

    def add_node(self, name: str = "n", **fields: Any) -> None:
        status = {"conditions": READY, "images": fields.pop("images", [])}
        self.create(node_manifest(name, status=status, **fields))

    def submit(self, name: str = "a", run: PodBehavior | None = None, phase: str = "Pending", **fields: Any) -> None:
        """Creates a pod without requests; with a nodeName it comes bound."""
        usual: dict[str, Any] = {"requests": {}, "restartPolicy": "Never", "status": {"phase": phase}}
        pod = Pod.parse(pod_manifest(name, **{**usual, **fields}), self.store.specs)
        pod.behavior = run
        self.create(pod)

    def started(self, name: str = "a", run: PodBehavior | None = None, node: str = "n", **spec: Any) -> None:
        """Creates a pod and binds it."""
        self.submit(name, run, **spec)
        self.bind(name, node)

    # what happens

    def bind(self, name: str = "a", node: str = "n") -> None:
        self.store.bind(self.pod(name), node)

    def evict(self, name: str = "a", grace_s: int | None = None) -> None:
        self.store.evict(self.pod(name), "Evicted", grace_s)

    def faults(self, *faults: tuple[float, str, str]) -> None:
        Faults(self.context, self.kubelets, tuple(Fault(seconds(at), what, on) for at, what, on in faults))

    def at(self, time: float, action: Callable[[], None]) -> None:
        self.clock.at(seconds(time), action)

    def run_to_end(self) -> None:
        self.clock.run()

    # what is seen

    def the_node(self, name: str = "n") -> Node:
        node = self.store.get("Node", "", name)
        assert isinstance(node, Node)
        return node

    def of(self, name: str = "a") -> list[tuple[float, str]]:
        """Returns what the log says of one pod."""
        return [(time, what) for time, pod, what in self.log if pod == name]

    def starts(self, name: str = "a") -> list[float]:
        return [time for time, what in self.of(name) if what.startswith("Running")]

    def added(self, new: Pod) -> None:
        pass

    def modified(self, old: Pod, new: Pod) -> None:
        if new.restarts != old.restarts:
            self.log.append((self.now, new.name, f"Running again ({new.restarts})"))
        elif new.phase != old.phase:
            self.log.append((self.now, new.name, new.phase))

    def deleted(self, old: Pod) -> None:
        self.log.append((self.now, old.name, GONE))
