from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import FAILED, RUNNING, SUCCEEDED, Pod
from wavetank.kernel.durations import SECOND
from wavetank.nodes.k8ssim.demand import demand_of
from wavetank.nodes.k8ssim.machine import Allowances, Machine, Task
from wavetank.nodes.k8ssim.parameters import parameters_of

JOB_LABEL = "job"  # names the job of a task in K8sSim's workloads


class K8sSimKubelets:
    """All nodes of the cluster as K8sSim simulates them, in place of `nodes.kubelet`: once per second.

    In each second, node by node in the order of creation: containers that are ready start, running tasks work, finished
    ones end, and those that take too long are restarted or terminated; then schedulers run. Bound pods are accepted
    without a check that they fit. Finished pods leave the store unless `keep_finished`.
    """

    def __init__(self, context: ActorContext, keep_finished: bool = False) -> None:
        self._store = store = context.store
        self._clock = context.clock
        self._keep_finished = keep_finished
        self._machines: dict[str, Machine] = {}
        self._places: dict[str, tuple[Machine, tuple[str, str]]] = {}  # by uid: machine, and namespace and name
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
        else:
            self._machines[node.name] = Machine(parameters)

    def node_deleted(self, node: Node) -> None:
        """Removes a node and its tasks; its pods stay as they are."""
        for uid in self._machines.pop(node.name).tasks:
            del self._places[uid]

    def pod_seen(self, pod: Pod) -> None:
        """Adds a pod that was bound, stops one that is being deleted, removes one that another client has finished."""
        if pod.uid in self._places:
            if pod.deleted is not None:
                self._forget(pod)
                self._store.delete(pod)
            elif pod.finished:
                self._forget(pod)
        elif pod.node_name in self._machines and not pod.finished and pod.deleted is None:
            self._arrive(pod, self._machines[pod.node_name])

    def pod_deleted(self, pod: Pod) -> None:
        """Removes a deleted pod."""
        if pod.uid in self._places:
            self._forget(pod)

    def _arrive(self, pod: Pod, machine: Machine) -> None:
        job = f"{pod.namespace}/{pod.labels.get(JOB_LABEL, pod.name)}"
        machine.bind(Task(pod.uid, job, pod.created, demand_of(pod)))
        self._places[pod.uid] = machine, pod.key
        self._plan()

    def _forget(self, pod: Pod) -> None:
        machine, _ = self._places.pop(pod.uid)
        machine.tasks.pop(pod.uid, None)

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
        def end(pod: Pod) -> None:
            pod.phase, pod.reason, pod.message = phase, reason, message

        for task in tasks:
            pod = self._change(task, end)
            self._places.pop(task.uid, None)
            if pod is not None and not self._keep_finished:
                self._store.discard(pod)

    def _change(self, task: Task, change: Callable[[Pod], Any]) -> Pod | None:
        """Writes a new version of a task's pod, if it still exists; returns it."""
        pod = self._store.find(POD, *self._places[task.uid][1])
        if not isinstance(pod, Pod) or pod.uid != task.uid:
            return None
        new = pod.copy()
        change(new)
        self._store.update(new)
        return new


def _restart(pod: Pod) -> None:
    pod.restarts += 1
