from __future__ import annotations

from dataclasses import dataclass

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import ENDS, RUNNING, Pod
from wavetank.controllers.framework.ownership import controller_of
from wavetank.kernel.durations import Nanoseconds
from wavetank.planning.readiness import Readiness
from wavetank.simulation.observer import Observer

DAEMON_OWNERS = ("DaemonSet", "Node")


@dataclass(slots=True)
class PodLife:
    """What happened to one pod: its node, and when it was created and ended; `reason` is why, `phase` its last.

    `owner` is (kind, name) of its controller, None for a bare pod.
    """

    namespace: str
    name: str
    owner: tuple[str, str] | None
    node: str
    created: Nanoseconds
    ended: Nanoseconds | None = None
    phase: str = ""
    reason: str = ""
    message: str = ""

    @property
    def key(self) -> str:
        """Returns namespace/name."""
        return f"{self.namespace}/{self.name}"

    @property
    def follows_node(self) -> bool:
        """Tells whether it belongs to its node: the pod of a DaemonSet, or a static pod."""
        return self.owner is not None and self.owner[0] in DAEMON_OWNERS


class PodWatch(Observer):
    """Follows every pod of a simulated cluster, the pods on each node, and how many of each workload are ready."""

    def __init__(self) -> None:
        self.lives: dict[str, PodLife] = {}  # by uid
        self.on_node: dict[str, dict[str, Pod]] = {}  # by the node's name and uid
        self.readiness = Readiness()

    def join(self, context: ActorContext) -> None:
        """Watches pods and nodes."""
        self._clock = context.clock
        self._store = store = context.store
        self.readiness.join(context)
        store.subscribe(POD, added=self._added, modified=self._modified, deleted=self._deleted)
        store.subscribe(NODE, modified=self._node_modified, deleted=self._node_gone)

    def pods_on(self, node: str) -> list[Pod]:
        """Returns the pods of a node that have not ended."""
        return list(self.on_node.get(node, {}).values())

    def _added(self, pod: Pod) -> None:
        reference = controller_of(pod)
        owner = None if reference is None else (str(reference.get("kind")), str(reference.get("name")))
        self.lives[pod.uid] = PodLife(
            pod.namespace, pod.name, owner, pod.node_name, self._clock.now, phase=pod.phase, message=pod.unschedulable
        )
        if pod.node_name and pod.phase not in ENDS:
            self.on_node.setdefault(pod.node_name, {})[pod.uid] = pod
        self._tell(pod, False, self._is_ready(pod))

    def _modified(self, old: Pod, new: Pod) -> None:
        life = self.lives[new.uid]
        life.phase, life.reason, life.message = new.phase, new.reason, new.unschedulable
        was_ready = self._is_ready(old)
        life.node = new.node_name
        if new.phase in ENDS:
            self._end(new)
        elif new.node_name:
            self.on_node.setdefault(new.node_name, {})[new.uid] = new
        self._tell(new, was_ready, self._is_ready(new))

    def _deleted(self, pod: Pod) -> None:
        was_ready = self._is_ready(pod)
        self.lives[pod.uid].reason = self.lives[pod.uid].reason or pod.reason
        self._end(pod)
        self._tell(pod, was_ready, False)

    def _end(self, pod: Pod) -> None:
        life = self.lives[pod.uid]
        if life.ended is None:
            life.ended = self._clock.now
        self.on_node.get(pod.node_name, {}).pop(pod.uid, None)

    # readiness

    def _is_ready(self, pod: Pod) -> bool:
        if pod.phase != RUNNING or pod.deleted is not None:
            return False
        node = self._store.find(NODE, "", pod.node_name)
        return isinstance(node, Node) and node.ready

    def _node_modified(self, old: Node, new: Node) -> None:
        if old.ready != new.ready:
            for pod in self.pods_on(new.name):
                alive = pod.phase == RUNNING and pod.deleted is None
                self._tell(pod, alive and old.ready, alive and new.ready)

    def _node_gone(self, old: Node) -> None:
        for pod in self.pods_on(old.name):
            alive = pod.phase == RUNNING and pod.deleted is None
            self._tell(pod, alive and old.ready, False)

    def _tell(self, pod: Pod, before: bool, after: bool) -> None:
        if before != after:
            self.readiness.change(pod, 1 if after else -1)
