from __future__ import annotations

from dataclasses import dataclass

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.taints import Taint
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import Timer
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.kubelet.kubelets import Kubelets

FAIL, RECOVER, CORDON, UNCORDON, DRAIN = ACTIONS = ("fail", "recover", "cordon", "uncordon", "drain")

UNREACHABLE = (
    Taint("node.kubernetes.io/unreachable", "", "NoSchedule"),
    Taint("node.kubernetes.io/unreachable", "", "NoExecute"),
)
CORDONED = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")

# How long a pod stays on an unreachable node by default: the toleration that the API server adds to every pod.
DEFAULT_TOLERATION = 300 * SECOND


@dataclass(frozen=True, slots=True)
class Fault:
    """A planned event of a node."""

    at: Nanoseconds
    action: str
    node: str


def cordoned(node: Node) -> Node:
    """Returns a version of a node that takes no more pods."""
    new = node.copy()
    new.unschedulable = True
    new.taints = _joined(node.taints, (CORDONED,))
    return new


def uncordoned(node: Node) -> Node:
    """Returns a version of a node that takes pods again."""
    new = node.copy()
    new.unschedulable = False
    new.taints = tuple(taint for taint in node.taints if taint != CORDONED)
    return new


class Faults:
    """Makes nodes fail, recover, be cordoned and drained as planned.

    A node that fails is tainted as unreachable at once; its pods stay until their toleration is over (5 minutes unless
    they say otherwise), then they are evicted. Cordoning adds the taint unschedulable. Draining cordons the node and
    evicts its pods; disruption budgets are not consulted.
    """

    def __init__(self, context: ActorContext, kubelets: Kubelets, faults: tuple[Fault, ...]) -> None:
        self._store = context.store
        self._clock = context.clock
        self._kubelets = kubelets
        self._evictions: dict[str, list[Timer]] = {}  # by the name of a failed node
        self._watching = False
        if faults:
            self._watch()
        for fault in faults:
            self._clock.at(fault.at, lambda fault=fault: self.happen(fault))  # type: ignore[misc]

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            self._store.subscribe(POD, added=self.bound, modified=self._pod_modified)

    def happen(self, fault: Fault) -> None:
        """Lets a fault happen now."""
        self._watch()
        node = self._store.find(NODE, "", fault.node)
        if isinstance(node, Node):
            actions = {
                FAIL: self._fail,
                RECOVER: self._recover,
                CORDON: self._cordon,
                UNCORDON: self._uncordon,
                DRAIN: self._drain,
            }
            actions[fault.action](node)

    def _fail(self, node: Node) -> None:
        if not node.ready:
            return
        self._kubelets.crash(node.name)
        new = node.copy()
        new.ready = False
        new.taints = _joined(node.taints, UNREACHABLE)
        self._store.update(new)
        self._evictions[node.name] = []
        for pod in self._pods_on(node.name):
            self.bound(pod)

    def _recover(self, node: Node) -> None:
        if node.ready:
            return
        for timer in self._evictions.pop(node.name, ()):
            timer.cancel()
        new = node.copy()
        new.ready = True
        new.taints = tuple(taint for taint in node.taints if taint not in UNREACHABLE)
        self._store.update(new)
        self._kubelets.repair(node.name)

    def _cordon(self, node: Node) -> None:
        if not node.unschedulable:
            self._store.update(cordoned(node))

    def _uncordon(self, node: Node) -> None:
        self._store.update(uncordoned(node))

    def _drain(self, node: Node) -> None:
        self._cordon(node)
        for pod in self._pods_on(node.name):
            if not is_daemon(pod):
                self._store.evict(pod, "Evicted")

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            self.bound(new)

    def bound(self, pod: Pod) -> None:
        """Plans the eviction of a pod that is bound to a failed node."""
        evictions = self._evictions.get(pod.node_name)
        patience = _patience(pod) if evictions is not None else None
        if evictions is not None and patience is not None:
            evictions.append(self._clock.after(patience, lambda: self._evict(pod)))

    def _evict(self, pod: Pod) -> None:
        present = self._store.find(POD, pod.namespace, pod.name)
        if isinstance(present, Pod) and present.uid == pod.uid and not present.finished:
            self._store.evict(present, "Evicted", grace_s=0)  # no kubelet is left to terminate it gracefully

    def _pods_on(self, node: str) -> list[Pod]:
        return [pod for pod in self._store.list(POD) if pod.node_name == node and not pod.finished]


def _patience(pod: Pod) -> Nanoseconds | None:
    """Returns how long a pod tolerates an unreachable node; None: forever."""
    matching = [toleration for toleration in pod.spec.tolerations.items if toleration.tolerates(UNREACHABLE[1])]
    if not matching:
        return DEFAULT_TOLERATION
    stated = [toleration.seconds for toleration in matching if toleration.seconds is not None]
    return min(max(0, value) for value in stated) * SECOND if stated else None


def _joined(taints: tuple[Taint, ...], more: tuple[Taint, ...]) -> tuple[Taint, ...]:
    return (*taints, *(taint for taint in more if taint not in taints))


def is_daemon(pod: Pod) -> bool:
    """Tells whether a pod belongs to a DaemonSet, which kubectl drain ignores."""
    owners = (pod.manifest.get("metadata") or {}).get("ownerReferences") or ()
    return any(owner.get("controller") and owner.get("kind") == "DaemonSet" for owner in owners)
