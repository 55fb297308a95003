"""What the tests of this folder share: nodes at work, and a diary of what becomes of their pods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.distributions import Constant
from wavetank.kernel.durations import SECOND, seconds
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


class World:
    """A store with nodes at work; `diary` has (seconds, pod, phase or "gone") of every change of phase.

    Times are in seconds. Finished pods stay in the store, so that a test can ask for them, unless told otherwise.
    """

    def __init__(self, nodes: NodeLatency | None = None, keep_finished: bool = True) -> None:
        self.clock = Clock()
        self.store = Store(self.clock)
        self.context = ActorContext(self.store, Streams(1), (1, 36))
        self.kubelets = Kubelets(self.context, nodes, keep_finished)
        self.diary: list[tuple[float, str, str]] = []
        self.store.subscribe("Pod", self)

    # what there is

    def node(self, name: str = "n", **manifest: Any) -> None:
        amounts = {"cpu": "4", "memory": "8Gi", "pods": "110", **manifest.pop("allocatable", {})}
        metadata = {"name": name, **manifest.pop("metadata", {})}
        status = {"allocatable": amounts, "conditions": READY, "images": manifest.pop("images", [])}
        self.store.create(
            Node({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status, **manifest})
        )

    def pod(self, name: str = "a", run: PodBehavior | None = None, phase: str = "Pending", **spec: Any) -> None:
        """Creates a pod; with a nodeName it comes bound."""
        container = {"name": "main", "image": "busybox:1", "resources": {"requests": spec.pop("requests", {})}}
        manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "status": {"phase": phase}}
        spec = {"containers": [container], "restartPolicy": "Never", **spec}
        pod = Pod.parse({**manifest, "spec": spec}, self.store.specs)
        pod.behavior = run
        self.store.create(pod)

    def started(self, name: str = "a", run: PodBehavior | None = None, node: str = "n", **spec: Any) -> None:
        """Creates a pod and binds it."""
        self.pod(name, run, **spec)
        self.bind(name, node)

    # what happens

    def bind(self, name: str = "a", node: str = "n") -> None:
        self.store.bind(self.get(name), node)

    def evict(self, name: str = "a", grace_s: int | None = None) -> None:
        self.store.evict(self.get(name), "Evicted", grace_s)

    def faults(self, *faults: tuple[float, str, str]) -> None:
        Faults(self.context, self.kubelets, tuple(Fault(seconds(at), what, on) for at, what, on in faults))

    def at(self, time: float, action: Callable[[], None]) -> None:
        self.clock.at(seconds(time), action)

    def run(self, until: float | None = None) -> None:
        self.clock.run(None if until is None else seconds(until))

    # what is seen

    @property
    def now(self) -> float:
        return self.clock.now / SECOND

    def get(self, name: str = "a") -> Pod:
        pod = self.store.get("Pod", "default", name)
        assert isinstance(pod, Pod)
        return pod

    def the_node(self, name: str = "n") -> Node:
        node = self.store.get("Node", "", name)
        assert isinstance(node, Node)
        return node

    def of(self, name: str = "a") -> list[tuple[float, str]]:
        """Returns what the diary says of one pod."""
        return [(time, what) for time, who, what in self.diary if who == name]

    def starts(self, name: str = "a") -> list[float]:
        return [time for time, what in self.of(name) if what.startswith("Running")]

    def added(self, new: Pod) -> None:
        pass

    def modified(self, old: Pod, new: Pod) -> None:
        if new.restarts != old.restarts:
            self.diary.append((self.now, new.name, f"Running again ({new.restarts})"))
        elif new.phase != old.phase:
            self.diary.append((self.now, new.name, new.phase))

    def deleted(self, old: Pod) -> None:
        self.diary.append((self.now, old.name, GONE))
