from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import FAILED, RUNNING, SUCCEEDED, Pod
from wavetank.cluster.store.storedkinds import Key
from wavetank.kernel.durations import SECOND
from wavetank.nodes.k8ssim.demand import demand_of
from wavetank.nodes.k8ssim.machine import Allowances, Machine, Task
from wavetank.nodes.k8ssim.parameters import parameters_of
from wavetank.nodes.kubelet.admission import FreeResources

JOB_LABEL = "job"  # names the job of a task in K8sSim's workloads


class _Place(NamedTuple):
    """Where the task of a pod is, and what it holds there."""

    machine: Machine
    pod: Key
    free: FreeResources
    requests: Amounts


class K8sSimKubelets:
    """All nodes of the cluster as K8sSim simulates them, in place of `nodes.kubelet`: once per second.

    In each second, node by node in the order of creation: containers that are ready start, running tasks work, finished
    ones end, and those that take too long are restarted or terminated; then schedulers run. As with `nodes.kubelet`, a
    bound pod that does not fit is rejected, unless it was there before `loaded`. Finished pods leave the store unless
    `keep_finished`.
    """

    def __init__(self, context: ActorContext, keep_finished: bool = False) -> None:
        self._is_loaded = False
        self._store = store = context.store
        self._clock = context.clock
        self._keep_finished = keep_finished
        self._machines: dict[str, Machine] = {}
        self._nodes: dict[str, Node] = {}
        self._free: dict[str, FreeResources] = {}  # by node
        self._places: dict[str, _Place] = {}  # by the pod's uid
        self._allowances = Allowances()
        self._ticking = False
        store.subscribe(
            NODE, added=self.node_seen, modified=lambda _, new: self.node_seen(new), deleted=self.node_deleted
        )
        store.subscribe(POD, added=self.pod_seen, modified=lambda _, new: self.pod_seen(new), deleted=self.pod_deleted)

    # events

    def node_seen(self, node: Node) -> None:
        """Adds a node or its new version."""
        parameters = parameters_of(node)
        if node.name in self._machines:
            self._machines[node.name].parameters = parameters
            self._free[node.name].resize(self._nodes[node.name], node)
        else:
            self._machines[node.name] = Machine(parameters)
            self._free[node.name] = FreeResources(node)
        self._nodes[node.name] = node

    def node_deleted(self, node: Node) -> None:
        """Removes a node and its tasks; its pods stay as they are."""
        for uid in self._machines.pop(node.name).tasks:
            del self._places[uid]
        del self._free[node.name], self._nodes[node.name]

    def loaded(self) -> None:
        """Notes that the objects of the cluster are there: pods that are bound later may be rejected."""
        self._is_loaded = True

    def pod_seen(self, pod: Pod) -> None:
        """Adds a pod that was bound, stops one that is being deleted, removes one that another client has finished."""
        if pod.uid in self._places:
            if pod.deleted is not None:
                self._forget(pod.uid)
                self._store.delete(pod)
            elif pod.finished:
                self._forget(pod.uid)
        elif pod.node_name in self._machines and not pod.finished and pod.deleted is None:
            self._admit(pod)

    def pod_deleted(self, pod: Pod) -> None:
        """Removes a deleted pod."""
        self._forget(pod.uid)

    def _admit(self, pod: Pod) -> None:
        """Takes a pod, or rejects one that does not fit."""
        free = self._free[pod.node_name]
        if not self._is_loaded or pod.phase == RUNNING:
            free.reserve(pod.spec.requests)
        elif (refusal := free.admit(self._nodes[pod.node_name], pod)) is not None:
            self._end(pod.uid, pod.key, FAILED, *refusal)
            return
        self._arrive(pod, self._machines[pod.node_name])

    def _arrive(self, pod: Pod, machine: Machine) -> None:
        job = f"{pod.namespace}/{pod.labels.get(JOB_LABEL, pod.name)}"
        machine.bind(Task(pod.uid, job, pod.created, demand_of(pod)))
        self._places[pod.uid] = _Place(machine, pod.key, self._free[pod.node_name], pod.spec.requests)
        self._plan()

    def _forget(self, uid: str) -> None:
        """Gives back what a task holds."""
        place = self._places.pop(uid, None)
        if place is not None:
            place.machine.tasks.pop(uid, None)
            place.free.release(place.requests)

    # time

    def _plan(self) -> None:
        """Sets the next tick, at the next full second; a background timer if no task will finish by itself."""
        if self._ticking or not self._places:
            return
        self._ticking = True
        due = (self._clock.now // SECOND + 1) * SECOND
        busy = any(machine.is_busy() for machine in self._machines.values())
        self._clock.at(due, self._tick, background=not busy)

    def _tick(self) -> None:
        self._ticking = False
        now = self._clock.now
        for machine in list(self._machines.values()):
            if machine.tasks:
                self._started(machine.begin(now))
                self._ended(machine.work(), SUCCEEDED, "", "")
                self._ended(
                    machine.remove_terminated(), FAILED, "DeadlineExceeded", "took longer than its terminationTime"
                )
                for task in machine.overdue(now, self._allowances):
                    self._change(task, _restart)
        self._plan()

    def _started(self, task: Task | None) -> None:
        if task is not None:
            now = self._clock.now

            def start(pod: Pod) -> None:
                pod.phase, pod.started = RUNNING, now

            self._change(task, start)

    def _ended(self, tasks: list[Task], phase: str, reason: str, message: str) -> None:
        for task in tasks:
            self._end(task.uid, self._places[task.uid].pod, phase, reason, message)
            self._forget(task.uid)

    def _end(self, uid: str, key: Key, phase: str, reason: str, message: str) -> None:
        pod = self._present(uid, key)
        if pod is None:
            return
        new = pod.copy()
        new.phase, new.reason, new.message = phase, reason, message
        self._store.update(new)
        if not self._keep_finished:
            self._store.discard(new)

    def _change(self, task: Task, change: Callable[[Pod], Any]) -> None:
        """Writes a new version of a task's pod, if it still exists."""
        pod = self._present(task.uid, self._places[task.uid].pod)
        if pod is not None:
            new = pod.copy()
            change(new)
            self._store.update(new)

    def _present(self, uid: str, key: Key) -> Pod | None:
        pod = self._store.find(POD, *key)
        return pod if isinstance(pod, Pod) and pod.uid == uid else None


def _restart(pod: Pod) -> None:
    pod.restarts += 1
