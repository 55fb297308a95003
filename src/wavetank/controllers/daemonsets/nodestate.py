from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.pod import FAILED, SUCCEEDED, Pod
from wavetank.controllers.daemonsets.spec import HASH, DaemonSetSpec
from wavetank.kernel.durations import SECOND, Nanoseconds

# Marks of a node that are counted in the status.
DESIRED, CURRENT, MISSCHEDULED = "desiredNumberScheduled", "currentNumberScheduled", "numberMisscheduled"
READY, AVAILABLE, UPDATED = "numberReady", "numberAvailable", "updatedNumberScheduled"

# What has to be done on the node.
CREATE, DELETE = "create", "delete"
# Its state in a rolling update: no available pod; an old pod that can be deleted at once; one that can be deleted
# within maxUnavailable; an old and a new pod; an available pod; an old pod on a node that should have none.
LACKING, STALE, OLD, SURGING, SERVING, UNWANTED = "lacking", "stale", "old", "surging", "serving", "unwanted"


class NodeState:
    """The state of one node for one DaemonSet: its pods, bound or meant for it, and what has to be done.

    `run` and `stay`: whether a daemon pod should run there, and whether one that runs there may continue to.
    """

    __slots__ = ("available_at", "exists", "marks", "old", "pods", "run", "stay", "to_delete")

    def __init__(self) -> None:
        self.pods: dict[str, Pod] = {}  # by uid
        self.exists = False  # the node itself
        self.run = self.stay = False
        self.marks: frozenset[str] = frozenset()
        self.to_delete: tuple[Pod, ...] = ()
        self.old: Pod | None = None
        self.available_at: Nanoseconds | None = None  # of the next pod that is ready but not available yet


class NodeEvaluator:
    """Evaluates the state of nodes for the spec of a DaemonSet and the hash of its current template."""

    def __init__(
        self, spec: DaemonSetSpec, hash_: str, now: Nanoseconds, ready_since: Callable[[Pod], Nanoseconds | None]
    ) -> None:
        self._specs = spec
        self._hash = hash_
        self._now = now
        self._ready_since = ready_since

    def evaluate(self, state: NodeState) -> None:
        """Sets the marks of a node and the pods to delete there."""
        state.available_at, state.old, state.to_delete = None, None, ()
        pods = [pod for pod in state.pods.values() if not (pod.finished and pod.deleted is not None)]
        marks = set(self._counts(state, pods))
        if state.exists:
            marks.update(self._needs(state, pods))
        else:
            state.to_delete = tuple(pod for pod in pods if not pod.node_name and pod.deleted is None)
        if state.to_delete:
            marks.add(DELETE)
        if self._specs.rolling and (pods or state.run):
            marks.update(self._standing(state, pods))
        state.marks = frozenset(marks)

    # the status

    def _counts(self, state: NodeState, pods: list[Pod]) -> list[str]:
        if not state.exists:
            return []
        if not state.run:
            return [MISSCHEDULED] if pods else []
        if not pods:
            return [DESIRED]
        pod, counts = min(pods, key=_age), [DESIRED, CURRENT]
        if self._ready_since(pod) is not None:
            counts.append(READY)
            if self._is_available(pod, state):
                counts.append(AVAILABLE)
        if self._specs.is_updated(pod.labels, self._hash):
            counts.append(UPDATED)
        return counts

    # pods to create and to delete

    def _needs(self, state: NodeState, pods: list[Pod]) -> list[str]:
        if state.run and not pods:
            return [CREATE]
        alive = [pod for pod in pods if pod.deleted is None]
        if not state.stay:
            state.to_delete = tuple(alive)
            return []
        ended = [pod for pod in alive if pod.phase in (FAILED, SUCCEEDED)]
        running = sorted((pod for pod in alive if not pod.finished), key=_age)
        surplus = self._surplus_of_surge(state, running) if self._specs.surges else running[1:]
        state.to_delete = (*ended, *surplus)
        return [CREATE] if self._specs.surges and not running and state.run else []

    def _surplus_of_surge(self, state: NodeState, running: list[Pod]) -> list[Pod]:
        """Returns the pods to delete where an old and a new pod may coexist: the old one, once the new is available."""
        if len(running) < 2:
            return []
        new = [pod for pod in running if pod.labels.get(HASH) == self._hash]
        old = [pod for pod in running if pod.labels.get(HASH) != self._hash]
        surplus = [*new[1:], *old[1:]]
        if new and old and (self._ready_since(old[0]) is None or self._is_available(new[0], state)):
            surplus.append(old[0])
        return surplus

    # a rolling update

    def _standing(self, state: NodeState, pods: list[Pod]) -> list[str]:
        alive = [pod for pod in pods if pod.deleted is None]
        new = [pod for pod in alive if self._specs.is_updated(pod.labels, self._hash)]
        old = [pod for pod in alive if not self._specs.is_updated(pod.labels, self._hash)]
        if len(new) > 1 or len(old) > 1:
            return [LACKING, SURGING]  # the surplus is deleted first
        state.old = old[0] if old else None
        serves = [SERVING] if (old or new) and self._is_available((old or new)[0], state) else []
        if old and new:
            done = self._is_available(new[0], state)
            return [LACKING, *serves, STALE if done else SURGING]
        if not old:
            return serves or [LACKING]
        if not serves:
            return [LACKING, STALE]
        return [*serves, OLD] if state.run or not self._specs.surges else [*serves, UNWANTED]

    def _is_available(self, pod: Pod, state: NodeState) -> bool:
        since = self._ready_since(pod)
        if since is None:
            return False
        due = since + self._specs.min_ready
        if due > self._now:
            state.available_at = due if state.available_at is None else min(due, state.available_at)
        return due <= self._now


def _age(pod: Pod) -> tuple[bool, Nanoseconds, str]:
    return not pod.node_name, pod.created // SECOND, pod.name
